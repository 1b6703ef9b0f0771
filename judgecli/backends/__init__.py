"""Judge engines, one module each; a new backend is one new file or folder here.

A backend module has `open_tokenizer(path)`, a context manager, and `open_backend(path, n_ctx=, n_threads=,
n_gpu_layers=, verbose=)`. Only the chosen one is imported.
"""

import importlib
import pkgutil
from types import ModuleType


def backend_names() -> list[str]:
    """Return the names of the backends there are."""
    return [module.name for module in pkgutil.iter_modules(__path__)]


def load_backend(name: str) -> ModuleType:
    """Import a backend by one of its names."""
    return importlib.import_module(f"{__name__}.{name}")
