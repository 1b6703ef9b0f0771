"""Start llama-cpp-python's own server without llama.cpp's repacked weights, of which it dies on some CPUs.

The engine leaves them out where the build has AMX; see `judgecli/backends/llama_cpp/placement.py`.
"""

from typing import Any

from llama_cpp import llama_cpp as lib

_made = lib.llama_model_default_params


def _without_extra_buffers() -> Any:
    params = _made()
    params.use_extra_bufts = False
    return params


if __name__ == "__main__":
    lib.llama_model_default_params = _without_extra_buffers
    from llama_cpp.server.__main__ import main

    main()
