"""The scripted judge: the first rule that fits a request answers it."""

import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest

from judgecli.backends import backend_names, load_backend
from judgecli.backends.scripted import ScriptedBackend, WordTokenizer, open_backend, open_tokenizer
from judgecli.errors import ModelError
from judgecli.types import Completion, LabelsGrammar, Order, Piece, Prompt, Request


def request(text: str = "Which is better?", item_id: str = "q1", order: Order = Order.AB) -> Request:
    prompt = Prompt(pieces=(Piece(text=text),))
    return Request.of(prompt, item_id=item_id, order=order, grammar=LabelsGrammar(labels={}))


def asked(folder: Path, *rules: Any, of: Request) -> Completion:
    path = folder / "rules.jsonl"
    path.write_text("\n\n".join(json.dumps(rule) for rule in rules), encoding="utf-8")
    with open_backend(path, n_ctx=256) as backend:
        (completion,) = backend.judge([of])
    return completion


def test_it_is_found_by_its_name() -> None:
    assert "scripted" in backend_names()
    assert load_backend("scripted").describe() == ScriptedBackend(lambda _: "").settings


@pytest.mark.parametrize(
    ("of", "text"),
    [
        (request(), "first order"),
        (request(order=Order.BA), "other"),
        (request(item_id="q2"), "second pair"),
        (request("a\nneedle", item_id="q3"), "needle found"),
    ],
)
def test_the_first_rule_that_fits_answers(tmp_path: Path, of: Request, text: str) -> None:
    rules = [
        {"id": "q1", "order": "AB", "reply": "first order"},
        {"id": "q2", "reply": "second pair"},
        {"matches": "^a.*needle$", "reply": "needle found"},
        {"reply": "other"},
    ]
    completion = asked(tmp_path, *rules, of=of)
    assert (completion.text, completion.error, completion.finish_reason) == (text, None, "stop")


def test_no_rule_that_fits_is_an_error_of_the_engine(tmp_path: Path) -> None:
    completion = asked(tmp_path, {"id": "q2", "reply": "x"}, of=request())
    assert completion.error == f"no rule of {tmp_path / 'rules.jsonl'} fits"


def test_what_a_rule_can_do(tmp_path: Path) -> None:
    rule = {"reply": "{prompt} 8 6", "finish_reason": "length", "seconds": 0.01}
    completion = asked(tmp_path, rule, of=request())
    assert (completion.text, completion.finish_reason) == ("Which is better? 8 6", "length")
    assert (completion.n_prompt_tokens, completion.n_completion_tokens) == (3, 5)
    assert completion.elapsed_s == 0.01
    assert asked(tmp_path, {"error": "out of memory"}, of=request()).error == "out of memory"


def test_a_script_is_checked_when_its_tokenizer_is_opened(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot read the script"), open_tokenizer(tmp_path / "no.jsonl"):
        pass


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_gives_its_rules_once_and_the_next_run_gets_those_that_come_then(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for reply in ("8 6", "6 8"):
        rule = json.dumps({"reply": reply})
        writer = threading.Thread(target=pipe.write_text, args=(rule,), daemon=True)
        writer.start()
        with open_tokenizer(pipe):
            pass
        for _ in range(2):
            with open_backend(pipe) as backend:
                assert [completion.text for completion in backend.judge([request()])] == [reply]
        writer.join(10)
        assert not writer.is_alive()


def test_a_script_that_was_mended_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "rules.jsonl"
    path.write_text('{"reply": "8 6"}', encoding="utf-8")
    with open_tokenizer(path):
        path.write_text('{"reply": "6 8"}', encoding="utf-8")
    with open_backend(path) as backend:
        assert [completion.text for completion in backend.judge([request()])] == ["6 8"]


def test_a_function_answers_with_a_text_or_a_completion() -> None:
    whole = Completion(request=request(), text="whole")
    backend = ScriptedBackend(lambda asked: "short text" if asked.order == Order.AB else whole)
    short, same = backend.judge([request(), request(order=Order.BA)])
    assert (short.text, short.n_completion_tokens) == ("short text", 2)
    assert same is whole
    assert backend.n_calls == 2


def test_words_are_tokens_and_units_end_at_cuts() -> None:
    pieces = (Piece(text="one two", cut=True), Piece(text="three "), Piece(text="two", cut=True))
    first, second, rest = WordTokenizer().encode(Prompt(pieces=pieces))
    assert (len(first), len(second), rest) == (2, 2, [])
    assert first[1] == second[1] != first[0]


class TestConversation:
    def written(self, folder: Path, *rules: Any, text: str, **more: Any) -> list[tuple[str, str | None]]:
        path = folder / "rules.jsonl"
        path.write_text("\n".join(json.dumps(rule) for rule in rules), encoding="utf-8")
        with open_backend(path) as backend:
            pieces = backend.write(Prompt(pieces=(Piece(text=text),)), **{"max_tokens": 9, **more})
            return [(piece.text, piece.finish_reason) for piece in pieces]

    def test_the_rule_that_matches_its_text_answers_word_by_word(self, tmp_path: Path) -> None:
        rules = [
            {"id": "q1", "reply": "a judgment"},
            {"matches": "Why", "reply": "A is  short.\n"},
            {"reply": "else"},
        ]
        assert self.written(tmp_path, *rules, text="Why A?") == [
            *(("A ", None), ("is  ", None), ("short.\n", None)),
            ("", "stop"),
        ]
        assert self.written(tmp_path, *rules, text="What?") == [("else", None), ("", "stop")]

    @pytest.mark.parametrize(
        ("more", "text", "reason"),
        [
            ({"max_tokens": 2}, "one two ", "length"),
            ({"max_tokens": 4}, "one two three four", "stop"),
            ({"stop": ("four", " two")}, "one", "stop"),
            ({"stop": (" ",)}, "\n one", "stop"),
        ],
    )
    def test_budget_and_stop_text_end_it(
        self, tmp_path: Path, more: dict[str, Any], text: str, reason: str
    ) -> None:
        """Blanks before the first word are no stop text."""
        blanks = "\n " if text.startswith("\n ") else ""
        pieces = self.written(tmp_path, {"reply": f"{blanks}one two three four"}, text="Count", **more)
        assert ("".join(piece for piece, _ in pieces), pieces[-1][1]) == (text, reason)

    def test_a_failure_is_an_error_of_the_model(self, tmp_path: Path) -> None:
        with pytest.raises(ModelError, match="does not answer the conversation: out of memory"):
            self.written(tmp_path, {"error": "out of memory"}, text="Why?")
