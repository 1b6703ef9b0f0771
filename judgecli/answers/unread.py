"""Files that are recognised and not read, so that usual field names do not misread them.

Their advice says what to give instead.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from judgecli.answers.layout import Value, has


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """A kind of file, how to recognise a row of it, and what to do instead."""

    what: str
    claims: Callable[[Value], bool]
    advice: str


def _run_file(value: Value) -> bool:
    return value.get("row") == "header" and has(value, "judgecli", "mode")


def _batch_input(value: Value) -> bool:
    return has(value, "custom_id", "body") and not has(value, "response")


def _helm_predictions(value: Value) -> bool:
    return has(value, "instance_id", "predicted_text")


def _mm_vet_questions(value: Value) -> bool:
    rows = list(value.values())
    return bool(rows) and all(isinstance(row, dict) and has(row, "imagename", "answer") for row in rows)


def _unpaired(value: Value) -> bool:
    return has(value, "prompt", "completion") and isinstance(value.get("label"), bool)


def _judgements(value: Value) -> bool:
    reviews = has(value, "answer1_id", "answer2_id") and not has(value, "answer1_body")
    results = ("g1_winner", "pandalm_result", "gpt_result")
    return reviews or has(value, "judge", "judgment") or any(has(value, name) for name in results)


UNREAD = (
    Unread(
        what="a run file of judge, which holds verdicts on answers",
        claims=_run_file,
        advice="judge report, judge diff, judge agree and judge chat read it",
    ),
    Unread(
        what="an OpenAI batch input, which holds no answers",
        claims=_batch_input,
        advice="give the batch's output file",
    ),
    Unread(
        what="HELM's display_predictions.json, which has no questions",
        claims=_helm_predictions,
        advice="give the folder of the run, which has instances.json too",
    ),
    Unread(
        what="MM-Vet's questions, whose answers are the right ones",
        claims=_mm_vet_questions,
        advice="give the model's answers, and this file with both --questions and --reference",
    ),
    Unread(
        what="unpaired preferences (one completion a row, labelled good or bad), which make no pairs",
        claims=_unpaired,
        advice="give a set with chosen and rejected, or --response-field completion to judge the completions",
    ),
    Unread(
        what="a file of judgements, which holds no answers",
        claims=_judgements,
        advice="give the answer files they were made from",
    ),
)


def recognise_unread(value: Value) -> Unread | None:
    """Return what kind of unread file this row belongs to, if any."""
    return next((unread for unread in UNREAD if unread.claims(value)), None)
