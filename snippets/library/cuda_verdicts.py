# /// snippet
# title.zh = "设备体检：编译、驱动、设备逐项给结论"
# title.en = "Device test: a verdict each for build, driver and device"
# topics = ["T03"]
# devices = ["cpu", "cuda"]
# timeout = 60
# ///
import torch

built = torch.backends.cuda.is_built()
count = torch.cuda.device_count()
usable = torch.cuda.is_available()

print("build :", f"made for CUDA {torch.version.cuda}" if built else "CPU only, no driver can change that")
print("device:", f"{count} visible" if count else "none visible")
print("verdict:", "ready" if usable else "use the CPU")
assert built or not usable  # a build without CUDA is never able to use it
assert usable == (count > 0)

if usable:
    x = torch.ones(2, 2, device="cuda")
    print("proof :", (x @ x).sum().item(), "computed on", torch.cuda.get_device_name())
else:
    try:
        torch.ones(1, device="cuda")
    except (AssertionError, RuntimeError) as error:
        print("proof :", str(error).splitlines()[0])

chosen = torch.accelerator.current_accelerator(check_available=True)
print("torch.accelerator:", chosen or "none")
for name in ["mps", "xpu"]:
    print(f"{name}: {'usable' if getattr(torch, name).is_available() else 'not here'}")
