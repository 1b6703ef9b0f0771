"""A text that is shown as an endpoint writes it: pieces, stops, and streams that break off."""

from collections.abc import Callable

import pytest

from judgecli.backends.openai import OpenAIBackend
from judgecli.backends.openai.writing import StoppedText
from judgecli.errors import ModelError
from judgecli.types import Piece, Prompt, WrittenPiece
from tests.backends.openai.conftest import Serve
from tests.backends.openai.endpoints import chat_prompt, refuses, says, streams

Open = Callable[..., OpenAIBackend]


def written(backend: OpenAIBackend, *, stop: tuple[str, ...] = ()) -> tuple[list[str], str | None]:
    pieces = list(backend.write(chat_prompt(begun=""), max_tokens=50, stop=stop))
    assert all(piece.finish_reason is None for piece in pieces[:-1])
    return [piece.text for piece in pieces if piece.text], pieces[-1].finish_reason


def test_pieces_come_as_they_are_written(serve: Serve, backend: Open) -> None:
    endpoint = serve(streams("B is ", "right", "."))
    assert written(backend()) == (["B is ", "right", "."], "stop")
    assert endpoint.seen[0].body["stream"] is True
    assert endpoint.seen[0].body["max_tokens"] == 50


def test_a_budget_that_is_used_up_is_said(serve: Serve, backend: Open) -> None:
    serve(streams("B is", finish_reason="length"))
    texts, ended = written(backend())
    assert ("".join(texts), ended) == ("B is", "length")


def test_a_text_ends_before_a_stop_text_in_pieces(serve: Serve, backend: Open) -> None:
    serve(streams("\nB is right.\n##", "# Instr", "uction: next", "and more"))
    texts, ended = written(backend(), stop=("\n### Instruction:", "\n"))
    assert ("".join(texts), ended) == ("\nB is right.", "stop")


def test_what_only_looked_like_a_stop_is_shown_in_the_end() -> None:
    shown = StoppedText(("###",))
    assert [shown.more("a #"), shown.more("# b #"), shown.rest()] == ["a ", "## b ", "#"]
    assert not shown.has_stopped


@pytest.mark.parametrize("cut", [0, 30])
def test_a_stream_that_breaks_off_is_an_error_after_what_came(serve: Serve, backend: Open, cut: int) -> None:
    serve(streams("B is ", "right", finish_reason="stop" if cut else None, cut=cut * 4))
    seen: list[WrittenPiece] = []
    with pytest.raises(ModelError) as refused:
        seen.extend(backend().write(chat_prompt(), max_tokens=50))
    assert str(refused.value).endswith("broke off in the middle of the answer; ask again")
    assert (refused.value.__cause__, refused.value.__context__) == (None, None)


def test_a_stream_that_does_not_begin_is_tried_again(serve: Serve, backend: Open) -> None:
    endpoint = serve(refuses(500, "later"), refuses(400, "no 'seed' please"), streams("Yes."))
    assert written(backend()) == (["Yes."], "stop")
    assert len(endpoint.seen) == 3
    assert "seed" not in endpoint.seen[-1].body


def test_a_wrong_key_is_an_error_at_once(serve: Serve, backend: Open) -> None:
    endpoint = serve(refuses(401, "bad key"))
    with pytest.raises(ModelError, match="check OPENAI_API_KEY"):
        written(backend())
    assert len(endpoint.seen) == 1


def test_no_stream_at_all_is_an_error(serve: Serve, backend: Open) -> None:
    serve(says("not a stream"))
    with pytest.raises(ModelError, match="broke off"):
        written(backend())


def test_a_raw_prompt_is_written_on(serve: Serve, backend: Open) -> None:
    endpoint = serve(refuses(401, "enough seen"))
    with pytest.raises(ModelError):
        list(backend().write(Prompt(pieces=(Piece(text="Once"),)), max_tokens=5))
    assert endpoint.seen[0].path == "/v1/completions"
    assert endpoint.seen[0].body["prompt"] == "Once"
