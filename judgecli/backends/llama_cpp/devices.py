"""The devices and the backends that this build of llama.cpp has, asked of ggml."""

from __future__ import annotations

import ctypes

from judgecli.backends.llama_cpp.ggml import ggml_function
from judgecli.types.installation import Device, DeviceKind

_KINDS = dict(enumerate((DeviceKind.CPU, DeviceKind.GPU, DeviceKind.INTEGRATED_GPU, DeviceKind.ACCELERATOR)))


def devices() -> tuple[Device, ...]:
    """Return the devices there are, in ggml's order.

    Raises:
        ModelError: llama-cpp-python does not load, or its ggml cannot be asked.
    """
    count = ggml_function("ggml_backend_dev_count", ctypes.c_size_t)()
    get = ggml_function("ggml_backend_dev_get", ctypes.c_void_p, ctypes.c_size_t)
    return tuple(_device(ctypes.c_void_p(get(index))) for index in range(count))


def backend_registry() -> tuple[str, ...]:
    """Return the names of the backends compiled in (`CUDA`, `CPU`), with or without a device for them.

    Raises:
        ModelError: as `devices`.
    """
    count = ggml_function("ggml_backend_reg_count", ctypes.c_size_t)()
    get = ggml_function("ggml_backend_reg_get", ctypes.c_void_p, ctypes.c_size_t)
    name = ggml_function("ggml_backend_reg_name", ctypes.c_char_p, ctypes.c_void_p)
    return tuple(_text(name(ctypes.c_void_p(get(index)))) for index in range(count))


def _device(handle: ctypes.c_void_p) -> Device:
    name = ggml_function("ggml_backend_dev_name", ctypes.c_char_p, ctypes.c_void_p)
    description = ggml_function("ggml_backend_dev_description", ctypes.c_char_p, ctypes.c_void_p)
    kind = ggml_function("ggml_backend_dev_type", ctypes.c_int, ctypes.c_void_p)
    size_pointer = ctypes.POINTER(ctypes.c_size_t)
    memory = ggml_function("ggml_backend_dev_memory", None, ctypes.c_void_p, size_pointer, size_pointer)
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    memory(handle, ctypes.byref(free), ctypes.byref(total))
    return Device(
        name=_text(name(handle)),
        description=_text(description(handle)),
        kind=_KINDS.get(kind(handle), DeviceKind.OTHER),
        free_bytes=free.value if total.value else None,
        total_bytes=total.value or None,
    )


def _text(value: bytes | None) -> str:
    return (value or b"").decode("utf-8", errors="replace").strip()
