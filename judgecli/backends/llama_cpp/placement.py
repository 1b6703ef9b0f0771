"""Where llama.cpp is told to put a model's layers."""

from __future__ import annotations

import ctypes
from typing import Any

from judgecli.backends.llama_cpp.library import load_library
from judgecli.types import EngineOptions, SplitMode

_ALL_LAYERS = 1_000_000  # llama.cpp clips it to what the model has
_SPLIT_MODES = {SplitMode.NONE: 0, SplitMode.LAYER: 1, SplitMode.ROW: 2}  # llama_split_mode


def place_layers(params: Any, engine: EngineOptions, *, max_devices: int) -> None:
    """Set `llama_model_params` to what the options ask for; all layers go to GPUs unless they say less."""
    is_all = engine.n_gpu_layers is None or engine.n_gpu_layers < 0
    params.n_gpu_layers = _ALL_LAYERS if is_all else engine.n_gpu_layers
    params.split_mode = _SPLIT_MODES[engine.split_mode]
    params.main_gpu = engine.main_gpu
    params.use_extra_bufts = uses_extra_buffers()
    if engine.tensor_split:
        # llama.cpp reads this many, and ctypes keeps the array as long as the parameters
        params.tensor_split = (ctypes.c_float * max_devices)(*engine.tensor_split[:max_devices])


def uses_extra_buffers() -> bool:
    """Whether weights are repacked for this CPU.

    Not where the build has AMX: llama.cpp 0.5.0 (llama-cpp-python 0.3.36) then dies of a general protection
    fault in ggml_backend_amx_mul_mat, seen on a Sapphire Rapids Xeon whose AMX works in other programs.
    """
    return b"AMX_INT8 = 1" not in load_library().llama_print_system_info()
