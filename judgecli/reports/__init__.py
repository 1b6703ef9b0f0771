"""Reports: estimates to text. A format is one module of this package, named after its file.

Such a module has `render(*, record, summary, document, facts, width, color) -> str` and takes what it needs.
What is said depends on the kind of summary: each has a package here with `document(record, summary)` and
`facts(summary)`, by the name in its `about`. What they share lies in the package `wording`.
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
    said = import_module(f"{__name__}.{summary.about}")
    text: str = import_module(f"{__name__}.{name}").render(
        record=record,
        summary=summary,
        document=said.document(record, summary),
        facts=said.facts(summary),
        width=width,
        color=color,
    )
    return text
