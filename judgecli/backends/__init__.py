"""Judge engines, one module each; a new backend is one new file or folder here.

A backend module has `open_tokenizer(path)`, a context manager; `open_backend(path, n_ctx=, engine=,
writes_reasons=, verbose=, budget=)`; and `describe(n_ctx=, engine=, path=)`, what a run header records of
that backend, known without its weights. `engine` is an `EngineOptions`, `budget` a `CallBudget`: the calls of
endpoints that the run has left. Only the chosen one is imported.

A module whose backends also have `entropies`, see `EntropyBackend`, says so: `MEASURES_ENTROPY = True`. One
that sends something else than a prompt's own text has `show_sent(prompt, place)`, which returns that, and its
tokenizer counts words.
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
