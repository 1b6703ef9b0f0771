"""`judge cache`: what is kept of earlier runs, and removing it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from judgecli.cli.console import printable, say, write
from judgecli.cli.defaults import default_of
from judgecli.cli.exits import exits
from judgecli.cli.forms import PlainForm, PlainFormOption
from judgecli.errors import UsageError
from judgecli.types.paths import check_folder, is_file

_MAX_DAYS = 36_500
cache = typer.Typer(help="Show or remove what runs with --cache keep.", no_args_is_help=True)

Folder = Annotated[
    str | None,
    typer.Option("--cache-dir", metavar="DIR", help="The cache of this folder; judge's own if left out."),
]


@cache.command("info")
@exits
def info_command(
    form: PlainFormOption = PlainForm.TERMINAL,
    cache_dir: Folder = None,
) -> None:
    """Show where the cache is, how large, and whose judgments it holds.

    Example: judge cache info --format json
    """
    from judgecli.cache import MAX_BYTES
    from judgecli.cli.models import columns, write_lines
    from judgecli.registry import human_size
    from judgecli.run.caching import cache_info

    found = cache_info(_folder(cache_dir))
    if form is PlainForm.JSON:
        write(json.dumps(_object(found, MAX_BYTES), indent=2, allow_nan=False) + "\n")
        return
    size = f"{human_size(found.size_bytes)} of {human_size(MAX_BYTES)} at most"
    judgments = "judgment" if found.n_entries == 1 else "judgments"
    write_lines([f"{found.path}: {found.n_entries:,} {judgments}, {size}"])
    rows = [
        (
            printable(one.name),
            printable(one.identity[:12] if _is_hash(one.identity) else one.identity),
            f"{one.n_entries:,}",
            human_size(one.size_bytes),
            one.last_used.isoformat(),
        )
        for one in found.judges
    ]
    if rows:
        write_lines(columns([("JUDGE", "WEIGHTS", "JUDGMENTS", "SIZE", "LAST USED"), *rows]))


@cache.command("clear")
@exits
def clear_command(
    older_than: Annotated[
        int | None,
        typer.Option(
            "--older-than",
            metavar="DAYS",
            min=0,
            max=_MAX_DAYS,
            help="Only what no run used for more than DAYS.",
        ),
    ] = None,
    cache_dir: Folder = None,
) -> None:
    """Remove what is kept; runs ask again then.

    Example: judge cache clear --older-than 30
    """
    from judgecli.registry import human_size
    from judgecli.run.caching import clear_cache

    gone = clear_cache(_folder(cache_dir), older_than_days=older_than)
    of = f"{gone.n_removed:,} of {gone.n_before:,} judgments ({human_size(gone.freed_bytes)})"
    say(f"removed {of} from {gone.path}")


def _folder(named: str | None) -> str | None:
    """Return the folder named here, else the one that runs in this folder use by default.

    Raises:
        UsageError: it is no folder's name.
    """
    if named is None:
        found = default_of("cache-dir", Path.cwd())
        if found is None:
            return None
        named = str(found[0])
    check_folder("--cache-dir", named)
    if is_file(Path(named)):
        raise UsageError(f"--cache-dir {named}: this is a file; name a folder")
    return named


def _is_hash(identity: str) -> bool:
    return ":" not in identity


def _object(found: Any, max_bytes: int) -> dict[str, Any]:
    """Return what a cache holds as `--format json` writes it."""
    return {
        "path": str(found.path),
        "entries": found.n_entries,
        "size_bytes": found.size_bytes,
        "max_bytes": max_bytes,
        "judges": [
            {
                "name": one.name,
                "weights": one.identity,
                "entries": one.n_entries,
                "size_bytes": one.size_bytes,
                "last_used": one.last_used.isoformat(),
            }
            for one in found.judges
        ],
    }
