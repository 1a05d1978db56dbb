# /// snippet
# title.zh = "两个仓库都有同名的包，pip 选哪一个"
# title.en = "Two indexes have the package: which one pip takes"
# topics = ["T01"]
# devices = ["cpu"]
# timeout = 90
# ///
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from torch.torch_version import TorchVersion

# A package made up for this, as torch may not be downloaded to show an order.
NAME = "treeleaf"


def publish(index, version):
    """Put a wheel without content into an index that is a folder."""
    folder = index / NAME
    folder.mkdir(parents=True, exist_ok=True)
    info = f"{NAME}-{version}.dist-info"
    with zipfile.ZipFile(folder / f"{NAME}-{version}-py3-none-any.whl", "w") as wheel:
        wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {version}")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true")
        wheel.writestr(f"{info}/RECORD", "")
    links = [f'<a href="{path.as_uri()}">{path.name}</a>' for path in folder.glob("*.whl")]
    (folder / "index.html").write_text(f"<!DOCTYPE html><body>{' '.join(links)}</body>")


def taken(target, index, *more):
    """Ask pip for the package, by an index and more of them; give the version that it chose."""
    own = {name: value for name, value in os.environ.items() if name[:4] != "PIP_"}
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download"]
    command += ["-qq", "--no-cache-dir", "--dest", str(target), "--index-url", index.as_uri()]
    command += [f"--extra-index-url={extra.as_uri()}" for extra in more]
    subprocess.run([*command, NAME], env={**own, "PIP_CONFIG_FILE": os.devnull}, check=True)
    return next(target.iterdir()).name.split("-")[1]


with tempfile.TemporaryDirectory() as place:
    main, cpu = Path(place, "main"), Path(place, "cpu")
    publish(main, "2.13.0")
    publish(cpu, "2.13.0+cpu")
    both = taken(Path(place, "1"), main, cpu)
    swapped = taken(Path(place, "2"), cpu, main)
    print("main, and cpu as an extra:", both)
    print("cpu, and main as an extra:", swapped)
    publish(main, "2.13.1")
    print("the same, once main has something newer:", end=" ", flush=True)
    print(taken(Path(place, "3"), cpu, main))
    print("cpu alone:", taken(Path(place, "4"), cpu))

assert both == swapped == "2.13.0+cpu"
order = sorted(["2.13.1", "2.13.0+cu130", "2.13.0+cpu", "2.13.0"], key=TorchVersion)
assert order == ["2.13.0", "2.13.0+cpu", "2.13.0+cu130", "2.13.1"]
print("in the order of versions:", ", ".join(order))
