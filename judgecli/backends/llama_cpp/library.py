"""The llama.cpp shared library: imported late, silent unless asked, initialised once."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib import metadata
from typing import Any

from judgecli.errors import ModelError

# GGML log levels that are worth a line even when nobody asked: none, the errors become exceptions.
_log_lines: list[str] = []
_captures: list[list[str]] = []
_verbose = False


@cache
def load_library() -> Any:
    """Return llama-cpp-python's low-level module with its log captured.

    Raises:
        ModelError: llama-cpp-python is not installed or its library does not load.
    """
    # GNU OpenMP's threads otherwise spin at every barrier, which on a busy machine costs a time slice each:
    # measured with both cores taken, 17 tokens took 5.4 s with the default and 0.25 s with this, and as long
    # as before on an idle machine. It is read once, when the library is loaded.
    os.environ.setdefault("GOMP_SPINCOUNT", "1000")
    try:
        from llama_cpp import llama_cpp as lib  # noqa: PLC0415 - seconds to import, and absent from --help
    except (ImportError, OSError, RuntimeError) as error:
        message = f"llama-cpp-python does not load ({error}); reinstall it with: pip install llama-cpp-python"
        raise ModelError(message) from error
    lib.llama_log_set(_log_callback(lib), ctypes.c_void_p(0))
    lib.llama_backend_init()
    return lib


@cache
def _log_callback(lib: Any) -> Any:
    """Return the C callback; cached because llama.cpp keeps only a bare pointer to it."""

    def keep(_level: int, text: bytes, _user_data: object) -> None:
        line = text.decode("utf-8", errors="replace")
        if _verbose:
            sys.stderr.write(line)
        _log_lines.append(line)
        for capture in _captures:
            capture.append(line)
        del _log_lines[:-50]

    return lib.llama_log_callback(keep)


def set_verbose(verbose: bool) -> None:
    """Let llama.cpp's own log through to stderr, or keep it silent."""
    global _verbose  # noqa: PLW0603 - the C library has one log for the process
    _verbose = verbose


def last_error() -> str:
    """Return llama.cpp's last log line that names a failure, or an empty string."""
    marked = [line.strip() for line in _log_lines if "error" in line.lower() or "fail" in line.lower()]
    return marked[0] if marked else ""


def clear_log() -> None:
    """Forget captured log lines, so that `last_error` speaks of the next call only."""
    _log_lines.clear()


@contextmanager
def captured_log() -> Iterator[list[str]]:
    """Collect all that llama.cpp logs while the block runs, down to its debug lines.

    A line may come in several parts; joined, they are the log.
    """
    parts: list[str] = []
    _captures.append(parts)
    try:
        yield parts
    finally:
        _captures.pop()


def versions() -> dict[str, str]:
    """Return the versions of llama-cpp-python and of the llama.cpp inside it."""
    lib = load_library()
    return {
        "llama_cpp_python": metadata.version("llama-cpp-python"),
        "llama_cpp": lib.llama_version().decode() if hasattr(lib, "llama_version") else "unknown",
    }
