"""`judge models`: list, show, verify and remove judge models."""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from judgecli.cli.asking import agreed
from judgecli.cli.console import say, show, write
from judgecli.cli.exits import exits
from judgecli.cli.forms import PlainForm, PlainFormOption
from judgecli.cli.transfer_progress import transfer_progress
from judgecli.errors import ModelError, UsageError
from judgecli.prompts import family_names
from judgecli.registry import (
    CardFile,
    Integrity,
    ModelCard,
    ModelStatus,
    Verification,
    cards,
    human_size,
    list_models,
    model_status,
    parse_spec,
    plan_removal,
    remove,
    verify,
)

models = typer.Typer(help="List, show, verify and remove judge models.", no_args_is_help=True)


@models.command("ls")
@exits
def list_command(
    form: PlainFormOption = PlainForm.TERMINAL,
) -> None:
    """List the known judge models and which of their files are here."""
    statuses = list_models()
    if form is PlainForm.JSON:
        write(json.dumps([status_object(status) for status in statuses], indent=2, allow_nan=False) + "\n")
        return
    rows = [("NAME", "FAMILY", "DEFAULT", "SIZE", "LICENCE", "HERE"), *map(status_row, statuses)]
    write_lines(columns(rows))


@models.command("show")
@exits
def show_command(name: Annotated[str, typer.Argument(help="The name of a model card.")]) -> None:
    """Show a model card with all its files."""
    card = _card(name)
    write(f"{card.name}: {card.title}\n")
    facts = {
        "family": card.family,
        "base": card.base,
        "context": f"{card.n_ctx} tokens",
        "licence": card.licence_text,
        "note": card.note,
    }
    for key, value in facts.items():
        if value:
            write(f"{key}: {value}\n")
    rows = [("QUANT", "SIZE", "HERE", "FILE"), *file_rows(model_status(card))]
    write_lines(columns(rows) if card.files else [])


@models.command("verify")
@exits
def verify_command(
    spec: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="A model; all that are here if left out.")
    ] = None,
) -> None:
    """Hash models again and compare with what they should be."""
    checks = verify(spec, progress=transfer_progress())
    rows = [(check.name, check.integrity.value, check.sha256, str(check.path)) for check in checks]
    show("".join(f"{line}\n" for line in columns(rows)))
    damaged = [check for check in checks if check.integrity is Integrity.DAMAGED]
    if damaged:
        raise ModelError(f"{len(damaged)} of {len(checks)} files damaged: {damage(damaged[0])}")


@models.command("rm")
@exits
def remove_command(
    spec: Annotated[
        str, typer.Argument(metavar="NAME[:QUANT]", help="All files of a model, or one quantization.")
    ],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Remove a model from the hub's cache."""
    plans = plan_removal(spec)
    for path in (path for plan in plans for path in plan.entries):
        say(str(path))
    freed = human_size(sum(plan.freed_bytes for plan in plans))
    if not yes and not _agreed(f"Remove this ({freed})?"):
        say("nothing was removed")
        return
    for plan in plans:
        remove(plan)
    say(f"removed {freed}")


def _agreed(question: str) -> bool:
    if not sys.stdin.isatty():
        raise UsageError("nothing was removed: there is no terminal to ask on; repeat the command with --yes")
    return agreed(question, default=False)


def _card(name: str) -> ModelCard:
    """Return a card by name, with or without a quantization; unlike a spec, it needs no file."""
    card = cards().get(name.partition(":")[0].casefold()) or parse_spec(name).card
    if card is None:
        raise UsageError(f"{name} is not the name of a model card; `judge models ls` lists them")
    return card


def damage(check: Verification) -> str:
    """Say what is wrong with a damaged file."""
    hashes = f"SHA-256 is {check.sha256}, should be {check.expected}"
    return f"{check.path}: {hashes}; fetch it again (a pulled one after `judge models rm {check.name}`)"


def status_row(status: ModelStatus) -> tuple[str, ...]:
    """Return a model's line of the list."""
    card = status.card
    default = next((file for file in card.files if file.quant == card.default_quant), None)
    here = ", ".join(present.file.quant for present in status.present) or "-"
    quant, size = (default.quant, file_size(default)) if default else ("no GGUF known", "-")
    family = card.family if card.family in family_names() else f"{card.family} (not yet)"
    return card.name, family, quant, size, card.licence_text, here


def file_rows(status: ModelStatus) -> list[tuple[str, ...]]:
    """Return the lines of a card's files."""
    here = {present.file.quant: str(present.paths[0]) for present in status.present}
    return [
        (
            file.quant,
            file_size(file),
            "yes" if file.quant in here else "-",
            here.get(file.quant) or origin(file),
        )
        for file in status.card.files
    ]


def origin(file: CardFile) -> str:
    """Return where a file comes from, the first shard of a split one."""
    place = f"package {file.package}" if file.package else f"hf:{file.repo}/{file.paths[0]}"
    return f"{place}@{file.revision}" if file.revision else place


def file_size(file: CardFile) -> str:
    """Return a file's size, marked where it is approximate; `-` where it is not known."""
    if file.size_bytes is not None:
        return human_size(file.size_bytes)
    return f"~{human_size(file.approx_bytes)}" if file.approx_bytes is not None else "-"


def status_object(status: ModelStatus) -> dict[str, Any]:
    """Return a model as `--format json` writes it."""
    card = dataclasses.asdict(status.card)
    present = [
        {
            "quant": present.file.quant,
            "paths": [str(path) for path in present.paths],
            "size_bytes": present.size_bytes,
        }
        for present in status.present
    ]
    return {**card, "present": present}


def write_lines(lines: Sequence[str]) -> None:
    """Write lines to stdout."""
    write("".join(f"{line}\n" for line in lines))


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows as lines of aligned columns; no rows give no lines."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
