"""The variables that a run is started with: what programs need and nothing of the user's secrets."""

from __future__ import annotations

import os
from collections.abc import Mapping

_ALLOWED = frozenset((
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH",
    "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE",
    "TORCH_HOME", "HF_HOME", "HF_HUB_OFFLINE", "CUDA_HOME", "CUDA_PATH", "CUDA_MODULE_LOADING", "ROCM_PATH",
    "OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMEXPR_NUM_THREADS",
    "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "USERPROFILE", "USERNAME",
    "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES",
    "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE", "PROCESSOR_IDENTIFIER",
))  # fmt: skip
_ALLOWED_BEGINNINGS = ("LC_", "GLOO_", "NCCL_", "KMP_", "TORCH_NCCL_", "TORCH_CPP_")


def clean(variables: Mapping[str, str] | None = None) -> dict[str, str]:
    """Keep of the variables (by default this program's own) what the allow list names.

    Nothing that begins with PYTHON is on it: a PYTHONPATH meant for something else would decide what `import torch` is.
    """
    given = os.environ if variables is None else variables
    return {
        name: value for name, value in given.items()
        if name.upper() in _ALLOWED or name.upper().startswith(_ALLOWED_BEGINNINGS)
    }  # fmt: skip


def python_variables() -> dict[str, str]:
    """Give the variables that make Python behave in a run, and in the processes that the run starts.

    Safe path: a `torch.py` beside the snippet is not what `import torch` finds. No bytecode: the vault stays as it is.
    """
    return {
        "PYTHONUNBUFFERED": "1",
        "PYTHONIOENCODING": "utf-8",
        "PYTHONSAFEPATH": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONFAULTHANDLER": "1",
    }
