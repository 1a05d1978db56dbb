# /// snippet
# title.zh = "警告：调度器走在优化器前面"
# title.en = "Warning: the scheduler before the optimizer"
# topics = ["T29"]
# devices = ["cpu"]
# timeout = 60
# raises = "UserWarning"
# ///
import warnings

import torch


def steps(first):
    """Return the rates of three steps with the optimizer or the scheduler first."""
    optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=1.0)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
    rates = []
    for _ in range(3):
        if first == "scheduler":
            scheduler.step()
        rates.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        if first == "optimizer":
            scheduler.step()
    return rates


print("optimizer first:", steps("optimizer"))
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    print("scheduler first:", steps("scheduler"), "and the first rate is never used")
warnings.simplefilter("error")  # a warning raises, so that it cannot be missed
steps("scheduler")
