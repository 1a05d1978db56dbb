# /// snippet
# title.zh = "报错：同一张图反向传播两次"
# title.en = "Error: backward through one graph twice"
# topics = ["T66"]
# devices = ["cpu"]
# timeout = 60
# raises = "RuntimeError"
# ///
import torch

weight = torch.tensor(2.0, requires_grad=True)
state = torch.tensor(1.0)
for step in range(2):
    state = (state * weight).tanh()  # state.detach() would cut it off from the step before
    print("step", step, "state", round(state.item(), 4))
    state.backward()
