"""What is said about the input once it was read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judgecli.answers.joining import Joint
from judgecli.answers.keyed import KeyedFile
from judgecli.answers.loaded import AnswerFile, AnswersReport, PairingReport
from judgecli.answers.naming import model_names, one_file
from judgecli.answers.texts import has_image
from judgecli.types import Item, Response

CUT_REASONS = frozenset({"length", "max_tokens", "max_output_tokens", "model_length"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """Everything that was read: answer files, files of questions and references, and how they were joined."""

    files: tuple[AnswerFile, ...]
    keyed: tuple[KeyedFile, ...]
    joint: Joint
    fields_of_missing: Mapping[str, Mapping[str, Any]]
    notes: tuple[str, ...]


def report_on(inputs: Inputs, items: Sequence[Item]) -> AnswersReport:
    """Return the report on items that were made of the input; there is at least one."""
    files, joint = inputs.files, inputs.joint
    is_paired = bool(files[0].pair_rows)
    models = one_file(files[0], joint.items) if is_paired else model_names(files)
    sides = [[item.responses[seat] for item in items] for seat in range(len(models))]
    ids = [item.id for item in items]
    without = tuple(item.id for item in items if item.reference is None)
    return AnswersReport(
        files=tuple(file.file for file in files),
        formats=tuple(f"{file.format} ({file.container})" for file in files),
        fields_used=fields_used(files, inputs.keyed),
        models=models,
        paired_by=joint.paired_by,
        n_rows=tuple(file.n_rows for file in files) * (2 if is_paired else 1),
        missing=joint.missing,
        empty=tuple(_empty(ids, side) for side in sides),
        truncated=tuple(_truncated(ids, side) for side in sides),
        n_with_reference=len(items) - len(without),
        missing_reference=without if len(without) < len(items) else (),
        turn=next((file.turn for file in files if file.turn is not None), None),
        n_multi_turn=sum(item.n_turns > 1 for item in items),
        with_image=tuple(item.id for item in items if has_image(item.metadata)),
        fields_of_missing=inputs.fields_of_missing,
        notes=inputs.notes,
    )


def pairing_report(report: AnswersReport) -> PairingReport:
    """Return a report on two models' answers in the terms of a baseline and a candidate."""
    return PairingReport(
        formats=report.formats,
        fields_used=report.fields_used,
        model_a=report.models[0],
        model_b=report.models[1],
        paired_by=report.paired_by,
        n_a=report.n_rows[0],
        n_b=report.n_rows[1],
        only_in_a=report.missing[1],
        only_in_b=report.missing[0],
        empty_a=report.empty[0],
        empty_b=report.empty[1],
        truncated_a=report.truncated[0],
        truncated_b=report.truncated[1],
        n_with_reference=report.n_with_reference,
        missing_reference=report.missing_reference,
        turn=report.turn,
        n_multi_turn=report.n_multi_turn,
        with_image=report.with_image,
        fields_of_missing=report.fields_of_missing,
        notes=report.notes,
    )


def fields_used(files: Sequence[AnswerFile], keyed: Sequence[KeyedFile]) -> dict[str, Mapping[str, str]]:
    """Return the fields by file; one file may serve as questions and as references."""
    used: dict[str, Mapping[str, str]] = {}
    for name, fields in [(f.file, f.fields_used) for f in files] + [(f.file, f.fields_used) for f in keyed]:
        used[name] = {**used.get(name, {}), **fields}
    return used


def _empty(ids: Sequence[str], side: Sequence[Response]) -> tuple[str, ...]:
    return tuple(i for i, response in zip(ids, side, strict=True) if response.is_empty)


def _truncated(ids: Sequence[str], side: Sequence[Response]) -> tuple[str, ...]:
    """Return the ids of answers cut off by a length limit."""
    return tuple(i for i, response in zip(ids, side, strict=True) if response.finish_reason in CUT_REASONS)
