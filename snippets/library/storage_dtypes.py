# /// snippet
# title.zh = "同一块存储以两种类型去存，会被拒绝"
# title.en = "One storage under two dtypes cannot be saved"
# topics = ["T35"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch

numbers = torch.tensor([1.0, 2.0])
bits = numbers.view(torch.int32)  # the same bytes, read as integers
assert bits.data_ptr() == numbers.data_ptr()
try:
    torch.save([numbers, bits], "both.pt")
except RuntimeError as error:
    print(error)
else:
    raise AssertionError("it worked")

torch.save([numbers, bits.clone()], "both.pt")
loaded = torch.load("both.pt")
assert torch.equal(loaded[0].view(torch.int32), loaded[1])
print("with clone():", loaded)
