# /// snippet
# title.zh = "警告：该用 get_last_lr()"
# title.en = "Warning: get_last_lr() is what was meant"
# topics = ["T29", "T57"]
# devices = ["cpu"]
# timeout = 60
# raises = "UserWarning"
# ///
import warnings

import torch

optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
for _ in range(2):
    optimizer.step()
    scheduler.step()
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    print("get_lr:", scheduler.get_lr(), " get_last_lr:", scheduler.get_last_lr())
warnings.simplefilter("error")  # a warning raises, so that it cannot be missed
scheduler.get_lr()
