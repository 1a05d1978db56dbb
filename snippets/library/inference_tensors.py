# /// snippet
# title.zh = "inference_mode：更省，也更严"
# title.en = "inference_mode: cheaper, and stricter"
# topics = ["T45"]
# devices = ["cpu", "cuda"]
# timeout = 60
# ///
import torch

device = "cuda" if torch.cuda.is_available() else "cpu"
weight = torch.ones(3, device=device, requires_grad=True)
with torch.no_grad():
    plain = weight * 2
with torch.inference_mode():
    light = weight * 2


def attempt(name, action):
    print(name)
    for kind, tensor in [("no_grad", plain), ("inference_mode", light)]:
        try:
            action(tensor)
            print(f"  {kind:14} fine")
        except RuntimeError as error:
            print(f"  {kind:14} {str(error).split('.')[0]}")


print("both without gradient:", plain.requires_grad, light.requires_grad)
print("marked for good:", plain.is_inference(), light.is_inference())
attempt("as a factor beside a weight", lambda tensor: (tensor * weight).sum())
attempt("as a summand", lambda tensor: (tensor + weight).sum().backward())
attempt("changed in place afterwards", lambda tensor: tensor.mul_(2))
attempt("made to require a gradient afterwards", lambda tensor: tensor.requires_grad_())

again = light.clone()  # an ordinary tensor
print("a clone made outside:", again.is_inference())
(again * weight).sum().backward()

x = torch.ones(1, 2)
for block in [torch.no_grad, torch.inference_mode]:
    with block():
        made = torch.nn.Linear(2, 1)
        network = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU(), torch.nn.Linear(2, 1))
    print(f"made under {block.__name__}")
    made(x).sum().backward()
    found = {name: value.grad is not None for name, value in made.named_parameters()}
    print(f"  gradients of one layer: {found}")
    try:
        network(x).sum().backward()
        print("  three layers: fine")
    except RuntimeError as error:
        print(f"  three layers: {str(error).split('.')[0]}")
