"""The environment variables of a run: what programs need, and none of the user's secrets."""

from __future__ import annotations

import os
from collections.abc import Mapping

MARKER = "TORCHLEAF_RUN"  # every process of a run carries this variable

_ALLOWED = frozenset(
    (
        "PATH",
        "HOME",
        "USER",
        "LOGNAME",
        "SHELL",
        "LANG",
        "LANGUAGE",
        "TZ",
        "LD_LIBRARY_PATH",
        "DYLD_LIBRARY_PATH",
        "XDG_CACHE_HOME",
        "XDG_CONFIG_HOME",
        "XDG_DATA_HOME",
        "SSL_CERT_FILE",
        "SSL_CERT_DIR",
        "REQUESTS_CA_BUNDLE",
        "TORCH_HOME",
        "HF_HOME",
        "HF_HUB_OFFLINE",
        "CUDA_HOME",
        "CUDA_PATH",
        "CUDA_MODULE_LOADING",
        "ROCM_PATH",
        "OMP_NUM_THREADS",
        "MKL_NUM_THREADS",
        "OPENBLAS_NUM_THREADS",
        "NUMEXPR_NUM_THREADS",
        "SYSTEMROOT",
        "SYSTEMDRIVE",
        "WINDIR",
        "COMSPEC",
        "PATHEXT",
        "USERPROFILE",
        "USERNAME",
        "APPDATA",
        "LOCALAPPDATA",
        "PROGRAMDATA",
        "PROGRAMFILES",
        "NUMBER_OF_PROCESSORS",
        "PROCESSOR_ARCHITECTURE",
        "PROCESSOR_IDENTIFIER",
    )
)
_ALLOWED_PREFIXES = ("LC_", "GLOO_", "NCCL_", "KMP_", "TORCH_NCCL_", "TORCH_CPP_")
# Variables that nothing reads before the code of a run begins; a difference in any other one rules out a fork.
_READ_LATE = frozenset(
    (
        "PYTHONPATH",
        "MPLBACKEND",
        "MPLCONFIGDIR",
        "TORCHLEAF_FIGURES",
        "TORCHLEAF_INPUT",
        "TORCHLEAF_STACKS",
        "TMPDIR",
        "TEMP",
        "TMP",
        MARKER,
        "CUDA_DEVICE_ORDER",
        "CUDA_VISIBLE_DEVICES",
        "CUDA_LAUNCH_BLOCKING",
        "MASTER_ADDR",
        "MASTER_PORT",
        "RANK",
        "LOCAL_RANK",
        "WORLD_SIZE",
        "LOCAL_WORLD_SIZE",
        "NODE_RANK",
    )
)


def clean(variables: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return the variables, by default those of this process, that the allow list names.

    It names none that begins with PYTHON: a PYTHONPATH meant for something else would decide what `import torch` is.
    """
    given = os.environ if variables is None else variables
    return {
        name: value
        for name, value in given.items()
        if name.upper() in _ALLOWED or name.upper().startswith(_ALLOWED_PREFIXES)
    }


def python_variables() -> dict[str, str]:
    """Return the variables that configure Python in a run and in the processes that it starts.

    Safe path: `import torch` does not find a `torch.py` next to the snippet. No bytecode: the vault is not written to.
    """
    return {
        "PYTHONUNBUFFERED": "1",
        "PYTHONIOENCODING": "utf-8",
        "PYTHONSAFEPATH": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONFAULTHANDLER": "1",
    }


def read_at_import(variables: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that Python or torch may read before the code of a run begins."""
    return {name: value for name, value in variables.items() if name not in _READ_LATE}
