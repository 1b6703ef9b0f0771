"""Whatever a prompt family, a rubric or a file of examples holds: it is read, or refused in a sentence."""

import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import judgecli
from judgecli.errors import DataError, JudgeError
from judgecli.prompts import Asking, load_family, read_rubric, read_shots, render
from judgecli.types import Order
from tests.any_text import damaged, quietly, values
from tests.made_up import make_pair
from tests.prompts.test_family import MINE, SEARCHING

FAMILIES = sorted((Path(judgecli.__file__).parent / "prompts" / "families").glob("*.toml"))
TEXTS = [MINE, SEARCHING, *(path.read_text(encoding="utf-8") for path in FAMILIES)]
RUBRIC = 'criterion = "Is it right?"\n[scores]\n1 = "No."\n2 = "Partly."\n3 = "Yes."\n'
SHOT = {"question": "?", "answer_a": "x", "answer_b": "y", "scores": [8, 6], "winner": "A", "reasons": "So."}
HARD = [
    "criterion = " + "9" * 5000,
    "criterion = " + "[" * 5000,
    "a." * 5000 + "b = 1",
    "criterion = 1979-99-99",
    "\ufeff" + RUBRIC,
    "",
]


def attempt(read: Callable[[Path], Any], path: Path, text: str) -> Any:
    """Return what is read from a file with this text, or None where it is refused in one sentence."""
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    try:
        return read(path)
    except DataError as error:
        refusal = str(error)
    assert refusal.startswith(str(path))
    assert "\n" not in refusal
    return None


def show(path: Path) -> None:
    """Read a family and render each of its forms."""
    family = load_family(str(path))
    for n_seats in (1, 2):
        try:
            task = family.task(n_seats, Asking())
        except DataError:
            continue
        assert task.grammar is not None
        with suppress(JudgeError):
            assert render(family, make_pair("1", "2"), Order("AB"[:n_seats]), "{{ messages }}").text


@quietly
@given(data=st.data())
def test_families(tmp_path: Path, data: st.DataObject) -> None:
    attempt(show, tmp_path / "mine.toml", data.draw(damaged(data.draw(st.sampled_from(TEXTS)))))


@pytest.mark.parametrize("text", HARD)
@pytest.mark.parametrize("read", [read_rubric, show], ids=["rubric", "family"])
def test_what_a_reader_of_toml_does_not_survive(
    tmp_path: Path, read: Callable[[Path], Any], text: str
) -> None:
    attempt(read, tmp_path / "mine.toml", text)


@quietly
@given(data=st.data())
def test_rubrics(tmp_path: Path, data: st.DataObject) -> None:
    rubric = attempt(read_rubric, tmp_path / "rubric.toml", data.draw(damaged(RUBRIC)))
    if rubric is not None:
        assert rubric.criterion
        assert bool(rubric.scores) != bool(rubric.labels)


@quietly
@given(key=st.sampled_from([*SHOT, "answer", "reference", "more"]), value=values, data=st.data())
@example(key="scores", value=10**400, data=None)
@example(key="scores", value=[1e999, 1], data=None)
def test_examples(tmp_path: Path, key: str, value: Any, data: Any) -> None:
    line = json.dumps(SHOT)
    texts = [json.dumps({**SHOT, key: value})]
    if data is not None:
        texts += [data.draw(damaged(line)), f"{line}\n{data.draw(damaged(line))}"]
    for text in texts:
        shots = attempt(read_shots, tmp_path / "shots.jsonl", text)
        assert shots is None or shots.shots
