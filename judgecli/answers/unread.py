"""Files that are recognised and not read, so that usual field names do not misread them.

A format that becomes readable leaves this table for a file in `formats/`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from judgecli.answers.layout import Value, has
from judgecli.answers.paths import look_up


@dataclass(frozen=True, slots=True, kw_only=True)
class Unread:
    """A kind of file, how to recognise a row of it, and what to do instead."""

    what: str
    claims: Callable[[Value], bool]
    advice: str


def _lm_eval(value: Value) -> bool:
    return has(value, "resps") and (has(value, "doc_id") or has(value, "filtered_resps"))


def _batch_output(value: Value) -> bool:
    response = value.get("response", "")
    failed = response is None and has(value, "error")
    return has(value, "custom_id") and (isinstance(response, dict) or failed)


def _batch_input(value: Value) -> bool:
    return has(value, "custom_id", "body") and not has(value, "response")


def _promptfoo(value: Value) -> bool:
    return isinstance(look_up(value, "results.results"), list)


def _inspect(value: Value) -> bool:
    return isinstance(value.get("eval"), dict) and (has(value, "samples") or has(value, "version", "status"))


def _helm(value: Value) -> bool:
    return has(value, "request_states") or has(value, "instance_id", "predicted_text")


def _mm_vet_questions(value: Value) -> bool:
    rows = list(value.values())
    return bool(rows) and all(isinstance(row, dict) and has(row, "imagename", "answer") for row in rows)


def _openai_evals(value: Value) -> bool:
    return list(value) == ["spec"] or has(value, "run_id", "event_id", "type")


def _judgements(value: Value) -> bool:
    reviews = has(value, "answer1_id", "answer2_id") and not has(value, "answer1_body")
    results = ("g1_winner", "pandalm_result", "gpt_result")
    return reviews or has(value, "judge", "judgment") or any(has(value, name) for name in results)


UNREAD = (
    Unread(
        what="lm-eval samples, which are not read yet",
        claims=_lm_eval,
        advice="keep one filter's rows and give --id-field doc_id --response-field resps[0][0] "
        "--instruction-field arguments.gen_args_0.arg_0",
    ),
    Unread(
        what="an OpenAI batch output, which is not read yet",
        claims=_batch_output,
        advice="give --id-field custom_id --response-field response.body.choices[0].message.content, "
        "and the questions with --questions",
    ),
    Unread(
        what="an OpenAI batch input, which holds no answers",
        claims=_batch_input,
        advice="give the batch's output file",
    ),
    Unread(
        what="promptfoo results, which are not read yet",
        claims=_promptfoo,
        advice="write one row an answer (id, question, answer), out of results.results: testIdx, "
        "vars, response.output",
    ),
    Unread(
        what="an inspect log, which is not read yet",
        claims=_inspect,
        advice="write one row an answer (id, question, answer), out of samples: id, input, output.completion",
    ),
    Unread(
        what="a HELM run, which is not read yet",
        claims=_helm,
        advice="write one row an answer (id, question, answer), out of request_states: instance.id, "
        "instance.input.text, result.completions[0].text",
    ),
    Unread(
        what="MM-Vet's questions, whose answers are the right ones",
        claims=_mm_vet_questions,
        advice="give the model's answers, and this file with both --questions and --reference",
    ),
    Unread(
        what="an OpenAI evals log, which is not read yet",
        claims=_openai_evals,
        advice="write one row an answer (id, question, answer), out of the sampling events: sample_id, "
        "data.prompt, data.sampled[0]",
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
