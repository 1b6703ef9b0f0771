"""Reports: estimates to text.

A format is a module of this package, named after its file, or a folder that holds a module `page`.
Such a module has `render(*, record, summary, document, facts, pairs, width, color, problem) -> str` and takes
what it needs. What is said depends on the kind of summary: each has a package here, by the name in its
`about`, with `document(record, summary)` and `facts(summary)`. What they share lies in the packages `wording`
and `pairs`.
"""

import pkgutil
from collections.abc import Collection
from importlib import import_module
from pathlib import Path

from judgecli.errors import UsageError
from judgecli.reports.pairs import PairKind, selected
from judgecli.types import RunRecord, Summary

__all__ = ["PairKind", "formats", "render"]


def formats() -> list[str]:
    """Return the names of the report formats, sorted."""
    return sorted(module.name for module in pkgutil.iter_modules(__path__) if _is_format(module))


def _is_format(module: pkgutil.ModuleInfo) -> bool:
    return not module.ispkg or (Path(__path__[0]) / module.name / "page.py").is_file()


def render(
    name: str,
    record: RunRecord,
    summary: Summary,
    *,
    width: int = 80,
    color: bool = False,
    only: Collection[PairKind] = (),
    problem: str | None = None,
) -> str:
    """Return a report as text that ends in a newline.

    `width` in terminal cells and `color` (escape codes) matter to the terminal report only. `only` lists the
    pairs of these kinds too, in a run of pairs; a format that shows every pair anyway takes no notice.
    `problem` is what is wrong with the run as a whole, in a sentence, where the caller knows.

    Raises:
        UsageError: if there is no such format.
    """
    if name not in formats():
        message = f"--format {name}: no such report; choose one of {', '.join(formats())}"
        raise UsageError(message)
    if summary.reached is not None:
        record = record.only(summary.reached)
    said = import_module(f"{__name__}.{summary.about}")
    text: str = import_module(f"{__name__}.{name}").render(
        record=record,
        summary=summary,
        document=said.document(record, summary),
        facts=said.facts(summary),
        pairs=selected(record, only) if only else None,
        width=width,
        color=color,
        problem=problem,
    )
    return text
