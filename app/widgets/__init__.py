"""Parts that several surfaces are made of."""
