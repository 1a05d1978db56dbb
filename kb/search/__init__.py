"""From a query to ranked results."""
