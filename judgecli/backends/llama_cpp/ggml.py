"""Functions of ggml, the library below llama.cpp, that llama-cpp-python ships but does not wrap."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from typing import Any

from judgecli.backends.llama_cpp.library import load_library
from judgecli.errors import ModelError


def ggml_function(name: str, result: Any, *arguments: Any) -> Any:
    """Return a C function of ggml with its types declared.

    Raises:
        ModelError: the library has no such function, or does not load.
    """
    function = _find(name)
    function.restype, function.argtypes = result, list(arguments)
    return function


@cache
def _find(name: str) -> Any:
    for library in _libraries():
        if hasattr(library, name):
            return getattr(library, name)
    message = f"llama-cpp-python's ggml library lacks {name}; reinstall it with: pip install llama-cpp-python"
    raise ModelError(message)


def _libraries() -> Iterator[Any]:
    """Yield the libraries to look into: llama.cpp's own answers for ggml too, but on Windows."""
    lib = load_library()
    yield lib._lib
    from llama_cpp import _ctypes_extensions  # noqa: PLC0415 - as late as llama_cpp itself

    for name in ("ggml", "ggml-base"):
        with suppress(OSError, RuntimeError):
            yield _ctypes_extensions.load_shared_library(name, lib._base_path)
