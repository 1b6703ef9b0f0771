"""The prompts that are measured: real pairs, in JudgeLM's words, with a verdict of four tokens."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from judgecli.answers import InputOptions, load_pairs
from judgecli.prompts import load_family, render
from judgecli.types import (
    BOTH_ORDERS,
    Item,
    LabelsGrammar,
    Request,
    Response,
    Seat,
    Source,
    read_scores,
)

# Two whole scores of one digit: what JudgeLM nearly always writes, and four tokens under any vocabulary here.
# Its whole grammar also has 10 and decimals, into which a model that is no judge wanders off; the loop that
# is measured beside it writes four tokens whatever they are.
FOUR_TOKENS = LabelsGrammar(
    labels={
        f"{first} {second}\n": read_scores(first, second).seat
        for first in range(1, 10)
        for second in range(1, 10)
    }
)
assert {Seat.FIRST, Seat.SECOND, Seat.TIE} == set(FOUR_TOKENS.labels.values())

# 5,000 of them must be planned and judged in little memory; the prompt is a user's own.
SHORT_PROMPT = """
name = "short"
wrapper = "raw"
[pair.grammar]
kind = "labels"
labels = { "1" = "first", "2" = "second", "0" = "tie" }
[[pair.block]]
text = "{question}\\n"
cut = true
[[pair.block]]
text = '1: {response_1} 2: {response_2} Better: "'
"""


@dataclass(frozen=True)
class Work:
    """Requests in the order in which a user would write the loop."""

    name: str
    requests: tuple[Request, ...]

    @property
    def n_pairs(self) -> int:
        return len(self.requests) // 2


def pandalm_pairs(data: Path, n_pairs: int, *, n_reason_tokens: int = 0) -> Work:
    """The first pairs of PandaLM's test set, both orders of each next to each other."""
    pairs = load_pairs(InputOptions(baseline=str(data / "pandalm/testset-v1.json"), limit=n_pairs)).pairs
    return Work(f"{n_pairs} PandaLM pairs", both_orders(pairs, n_reason_tokens=n_reason_tokens))


def round_robin(data: Path, n_questions: int) -> Work:
    """Four models' first answers to MT-bench questions with references, one pair of models after another."""
    folder = data / "mt-bench"
    questions = {row["question_id"]: row["turns"][0] for row in _rows(folder / "question.jsonl")}
    references = _first_answers(folder / "reference-gpt-4.jsonl")
    models = ("alpaca-13b", "gpt-3.5-turbo", "gpt-4", "vicuna-13b-v1.3")
    answers = [_first_answers(folder / f"{model}.jsonl") for model in models]
    asked = [number for number in questions if number in references][:n_questions]
    pairs = [
        Item(
            id=f"{models[a]} {models[b]} {number}",
            instruction=questions[number],
            reference=references[number],
            responses=(_response(answers[a][number], number), _response(answers[b][number], number)),
        )
        for a, b in combinations(range(len(models)), 2)
        for number in asked
    ]
    name = f"{len(models)} models round-robin on {len(asked)} MT-bench questions"
    return Work(name, both_orders(pairs, for_ranking=True))


def _response(output: str, number: int) -> Response:
    return Response(output=output, source=Source(file="mt-bench", line=number))


def both_orders(
    pairs: Sequence[Item], *, for_ranking: bool = False, n_reason_tokens: int = 0
) -> tuple[Request, ...]:
    family = load_family("judgelm")
    return tuple(
        Request.of(
            render(family, pair, order, for_ranking=for_ranking),
            item_id=pair.id,
            order=order,
            grammar=FOUR_TOKENS,
            n_reason_tokens=n_reason_tokens,
        )
        for pair in pairs
        for order in BOTH_ORDERS
    )


def _rows(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def _first_answers(path: Path) -> dict[int, str]:
    return {row["question_id"]: row["choices"][0]["turns"][0] for row in _rows(path)}
