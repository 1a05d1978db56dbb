# /// snippet
# title.zh = "view 失败的时候，和三种补救"
# title.en = "When view fails, and three ways out"
# topics = ["T47"]
# devices = ["cpu"]
# timeout = 60
# ///
import torch

image = torch.arange(2 * 3 * 4).view(2, 3, 4)  # height, width, channels
planes = image.permute(2, 0, 1)  # channels, height, width


def refused(call):
    """Return the words of the error that the call must raise."""
    try:
        call()
    except RuntimeError as error:
        return str(error)
    raise AssertionError("it worked")


print("strides", image.stride(), "->", planes.stride())
print("view(24):", refused(lambda: planes.view(24)))
print("view(5, 5):", refused(lambda: image.view(5, 5)))

expected = [image[h, w, c].item() for c in range(4) for h in range(2) for w in range(3)]
for name, flat in [
    ("reshape(24)", planes.reshape(24)),
    ("contiguous().view(24)", planes.contiguous().view(24)),
    ("clone(memory_format=...).view(24)", planes.clone(memory_format=torch.contiguous_format).view(24)),
]:
    assert flat.tolist() == expected
    print(f"{name:34}", flat[:6].tolist(), "...")

# clone() alone keeps the strides, and so does not help
assert planes.clone().stride() == planes.stride()
refused(lambda: planes.clone().view(24))
print("clone() keeps the strides", planes.clone().stride())

# not contiguous, and yet view works: height and width still lie in one even step
assert not planes.is_contiguous()
joined = planes.view(4, 6)
assert joined.untyped_storage().data_ptr() == image.untyped_storage().data_ptr()
print("view(4, 6) of the same:", joined.shape, "strides", joined.stride())
