"""Whatever rows a file of labels or of verdicts holds: what they say, or one error in one sentence."""

import json
import tempfile
from dataclasses import asdict
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from judgecli.answers import holds_verdicts, labelled_items, read_labels, read_verdicts
from judgecli.types import Item, Response, Source
from tests.answers.test_any_bytes import ANY, CSV_LIKE, JSON_LIKE, VALUES, attempt

WORDS = st.sampled_from(
    ["A", "b", "tie", 0, 1, 2, "1", "x", 7.5, None, "", "m1", "m2", "AB", "BA", "unreadable"]
)
LABEL_NAMES = ["winner", "label", "score", "annotators", "annotator1", "annotator2", "judge", "turn"]
VERDICT_NAMES = ["failure", "order", "p_a", "p_tie", "p_b", "row"]
PAIR_NAMES = ["answer_a", "answer_b", "question", "chosen", "rejected", "bias", "response1", "response2"]
MODEL_NAMES = ["model", "model_a", "model_b"]
NAMES = st.sampled_from(["id", *LABEL_NAMES, *VERDICT_NAMES, *PAIR_NAMES, *MODEL_NAMES])
SOME = st.lists(WORDS, max_size=3) | WORDS | VALUES
ROWS = st.lists(st.dictionaries(NAMES, SOME, max_size=7), max_size=4)
LIKELY = st.fixed_dictionaries(
    {"id": st.sampled_from(["1", 2, "q"]), "winner": WORDS},
    optional={"judge": WORDS, "model_a": WORDS, "model_b": WORDS, "turn": WORDS, "order": WORDS},
)


def items(n):
    source = Source(file="a.jsonl")
    responses = tuple(Response(output=str(m), source=source, model=f"m{m}") for m in range(1, n + 1))
    return [Item(id=i, instruction="?", responses=responses) for i in ("1", "2", "q")]


def read_or_refuse(content):
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "a")
        Path(path).write_bytes(content)
        for given_items, models in (((), ()), (items(2), ("m1", "m2")), (items(1), ()), (items(3), ())):
            labels = attempt(read_labels, path, given_items, models=models)
            if labels is not None:
                check(labels)
        attempt(labelled_items, path)
        assert holds_verdicts(path) in {True, False}
        for verdict in attempt(read_verdicts, path) or ():
            assert [verdict.winner, verdict.failure, verdict.score].count(None) == 2


def check(labels):
    """Check that every label says something of its own item, and can be written."""
    assert labels.by_item
    for item_id, one in labels.by_item.items():
        assert one.item_id == item_id
        assert one.winner is not None or one.score is not None or len(one.winners) > 1
        assert set(one.winners) | set(one.scores) <= set(labels.annotators)
        json.dumps(asdict(one), allow_nan=False)


@ANY
@given(CSV_LIKE | JSON_LIKE)
def test_bytes_that_resemble_rows(content):
    read_or_refuse(content)


@ANY
@given(ROWS, st.booleans())
def test_rows_with_any_values(rows, as_array):
    lines = "\n".join(json.dumps(row) for row in rows)
    read_or_refuse((json.dumps(rows) if as_array else lines).encode())


@ANY
@given(st.lists(LIKELY, min_size=1, max_size=5))
def test_rows_that_are_nearly_right(rows):
    read_or_refuse("\n".join(json.dumps(row) for row in rows).encode())
