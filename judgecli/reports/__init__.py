"""Reports: estimates to text. A format is one module of this package, named after its file.

Such a module has `render(record, summary, *, width, color) -> str`. What reports share lies in the
package `wording`, which is no format because it is a package.
"""

import pkgutil
from importlib import import_module

from judgecli.errors import UsageError
from judgecli.types import RunRecord, Summary


def formats() -> list[str]:
    """Return the names of the report formats, sorted."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__) if not module.ispkg)


def render(name: str, record: RunRecord, summary: Summary, *, width: int = 80, color: bool = False) -> str:
    """Return a report as text that ends in a newline.

    `width` in terminal cells and `color` (escape codes) matter to the terminal report only.

    Raises:
        UsageError: if there is no such format.
    """
    if name not in formats():
        message = f"--format {name}: no such report; choose one of {', '.join(formats())}"
        raise UsageError(message)
    module = import_module(f"{__name__}.{name}")
    text: str = module.render(record, summary, width=width, color=color)
    return text
