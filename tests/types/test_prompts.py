"""A prompt's path numbers its evaluation units; a request carries it without the prompt."""

import subprocess
import sys
from collections.abc import Iterable

import pytest

from judgecli.types import LabelsGrammar, Order, Piece, PieceKind, Prompt, Request, n_shared

GRAMMAR = LabelsGrammar(labels={})


def prompt(*texts: str, kinds: Iterable[PieceKind] = ()) -> Prompt:
    """Return a prompt of these pieces; a bar at the end of one is a cut."""
    listed = list(kinds) or [PieceKind.TEXT] * len(texts)
    pieces = zip(texts, listed, strict=True)
    return Prompt(
        pieces=tuple(
            Piece(text=text.removesuffix("|"), cut=text.endswith("|"), kind=kind) for text, kind in pieces
        )
    )


def shared(one: Prompt, other: Prompt) -> int:
    return n_shared(one.path, other.path)


def test_a_number_for_each_unit() -> None:
    path = prompt("system|", "question", "reference|", "answers").path
    assert len(path) == len(set(path)) == 3
    assert all(0 <= number < 2**64 for number in path)


@pytest.mark.parametrize(
    ("other", "n"),
    [
        (("system|", "question|", "first|", "second"), 4),
        (("system|", "question|", "first|", "other"), 3),
        (("system|", "question|", "second|", "first"), 2),
        (("system|", "question|", "first"), 3),  # where a prompt ends, a unit does
        (("system|", "question", "first|", "second"), 1),
        (("syste", "m|", "question|", "first|", "second"), 0),
        (("other|", "question|", "first|", "second"), 0),
        (("\ud800|", "question|"), 0),
    ],
)
def test_paths_begin_alike_as_far_as_prompts_do(other: tuple[str, ...], n: int) -> None:
    assert shared(prompt("system|", "question|", "first|", "second"), prompt(*other)) == n


def test_a_unit_has_another_number_after_another_beginning() -> None:
    assert not set(prompt("a|", "same|").path) & set(prompt("b|", "same|").path)


def test_markup_is_not_text() -> None:
    markup = prompt("<s>|", "x", kinds=(PieceKind.MARKUP, PieceKind.TEXT))
    assert shared(markup, prompt("<s>|", "x")) == 0


def test_a_unit_without_text_is_none() -> None:
    assert len(prompt("a|", "|", "b|", "").path) == 2
    assert prompt("", "|").path == Prompt(pieces=()).path == ()
    assert len(prompt("a", "|", "b").path) == 2


def test_paths_are_the_same_in_another_process() -> None:
    code = "from judgecli.types import *; print(Prompt(pieces=(Piece(text='a', cut=True),)).path)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(prompt("a|").path)


def test_a_request_that_holds_its_prompt() -> None:
    asked = Prompt(pieces=prompt("a|", "b").pieces, flags=("altered",))
    request = Request.of(asked, item_id="q1", order=Order.BA, grammar=GRAMMAR, stop=("\n",))
    assert request.prompt is asked
    assert (request.prompt_hash, request.path, request.flags) == (asked.hash, asked.path, ("altered",))
    assert (request.item_id, request.order) == ("q1", Order.BA)
    assert (request.stop, request.n_reason_tokens) == (("\n",), 0)


def test_a_prompt_is_rendered_when_it_is_looked_at() -> None:
    calls = []

    def render() -> Prompt:
        calls.append(1)
        return prompt("a")

    request = Request(item_id="q1", order=Order.AB, prompt_hash="h", render=render, grammar=GRAMMAR)
    assert "render" not in repr(request)
    assert calls == []
    assert request.prompt == prompt("a")
    assert len(calls) == 1
