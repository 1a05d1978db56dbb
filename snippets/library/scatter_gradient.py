# /// snippet
# title.zh = "scatter 的梯度要求 src 与 index 形状相同"
# title.en = "The gradient of scatter wants src in the shape of index"
# topics = ["T12"]
# devices = ["cpu", "cuda"]
# timeout = 60
# ///
import torch

device = "cuda" if torch.cuda.is_available() else "cpu"
index = torch.tensor([[0, 2], [1, 0]], device=device)
start = torch.zeros(2, 4, device=device)
for width in [2, 3]:
    src = torch.ones(2, width, device=device, requires_grad=True)
    result = start.scatter(1, index, src)
    print(f"src {tuple(src.shape)}, index {tuple(index.shape)}, result {tuple(result.shape)}")
    try:
        result.sum().backward()
        print("  gradient:", src.grad.tolist())
    except RuntimeError as error:
        print(f"  {error}")

# Cut src to the shape of index first: the cut has a gradient of its own, zero for what is left out.
src = torch.ones(2, 3, device=device, requires_grad=True)
start.scatter(1, index, src[:, :2]).sum().backward()
print("src[:, :2] written, gradient of src:", src.grad.tolist())
assert src.grad.tolist() == [[1, 1, 0], [1, 1, 0]]
