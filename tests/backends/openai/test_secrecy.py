"""Secrets that a server tells are hidden in what is kept, and nothing else is touched."""

import json
from base64 import b64encode
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgecli.backends.openai import OpenAIBackend
from judgecli.backends.openai.secrecy import PieceCleaner, Secrets
from tests.any_text import quietly
from tests.backends.openai.conftest import Serve
from tests.backends.openai.endpoints import KEY, chat_prompt, chat_request, logprobs, refuses, says, streams

Open = Callable[..., OpenAIBackend]
TOKEN = "gate-9931-made-up"
SECRETS = Secrets.of(KEY, [TOKEN, "judge", "me:hunter2!"])


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"A: {KEY}.", "A: [hidden]."),
        (f"{KEY}{KEY}", "[hidden][hidden]"),
        (KEY[:12], "[hidden]"),
        (f"it begins with {KEY[:15]}...", "it begins with [hidden]..."),
        (f"token={TOKEN}&", "token=[hidden]&"),
        (b64encode(b"me:hunter2!").decode(), "[hidden]"),
        ("Bearer abcdefgh12345678.xyz and more", "Bearer [hidden] and more"),
        (KEY[:11], KEY[:11]),
        (TOKEN[:-1], TOKEN[:-1]),
        ("As a judge, bearer of responsibilities", "As a judge, bearer of responsibilities"),
        ("use Basic authentication with a key such as sk-1234", None),
        ("https://user:pass@example.org/?a=b", None),
        ("", ""),
    ],
)
def test_secrets_are_hidden_in_a_text_and_nothing_else(text: str, shown: str | None) -> None:
    assert SECRETS.hide_in_text(text) == (text if shown is None else shown)


@pytest.mark.parametrize("key", ["EMPTY", "none", "token", "dummykey", "12345678", "2024-10-21", "abc", ""])
def test_what_could_be_a_word_or_a_number_stays(key: str) -> None:
    text = f"None of the answers is EMPTY, and {key} is no secret."
    assert Secrets.of(key, [key]).hide_in_text(text) == text


@pytest.mark.parametrize("key", ["token-abc123", "sk-test", "correct-horse", "abcdefghijklmnop"])
def test_what_could_be_no_word_is_hidden(key: str) -> None:
    assert Secrets.of(key, []).hide_in_text(f"the key is {key}.") == "the key is [hidden]."


def test_in_a_message_words_and_shorter_beginnings_are_hidden_too() -> None:
    secrets = Secrets.of("plain-key-4f1d7a90c2", ["EMPTY"])
    assert secrets.hide_in_message("no EMPTY\n and plain-ke****") == "no [hidden] and [hidden]****"
    assert secrets.hide_in_message("red \x1b[31m \ud83d") == "red \ufffd[31m \ufffd"
    assert len(secrets.hide_in_message("x " * 10_000_000)) == 303


def test_no_secret_is_in_what_secrets_are_called() -> None:
    assert not any(one in repr(SECRETS) for one in (KEY, TOKEN, "judge"))


def cleaned(pieces: list[str]) -> str:
    cleaner = PieceCleaner(SECRETS)
    return "".join([*map(cleaner.more, pieces), cleaner.rest()])


@quietly
@given(st.data())
def test_a_text_in_pieces_is_cleaned_as_a_whole_one_is(data: st.DataObject) -> None:
    parts = [
        KEY,
        KEY[:12],
        KEY[:9],
        TOKEN,
        TOKEN[:5],
        "s",
        "Bearer ",
        "bearer",
        "abcdefgh12345678x",
        " ",
        "A.\n",
    ]
    text = "".join(data.draw(st.lists(st.sampled_from(parts) | st.text(max_size=3), max_size=8)))
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert cleaned(pieces) == SECRETS.hide_in_text(text)


def test_ordinary_pieces_are_not_held_back() -> None:
    cleaner = PieceCleaner(SECRETS)
    assert [cleaner.more(one) for one in ("It i", "s right", ", a", " bearer")] == [
        "It i",
        "s right",
        ", a",
        " ",
    ]


@pytest.mark.parametrize("repeated", ["abcabcabcabcX", "aaaaaaaaaaaaaaaa1"])
def test_a_key_that_repeats_itself_is_hidden_in_pieces_too(repeated: str) -> None:
    secrets = Secrets.of(repeated, [])
    for text in (repeated, "abc" + repeated, repeated[:12] + repeated, "a" * 40 + "1"):
        cleaner = PieceCleaner(secrets)
        shown = "".join([*map(cleaner.more, text), cleaner.rest()])
        assert shown == secrets.hide_in_text(text)


def test_a_server_that_writes_the_key_as_its_verdict(serve: Serve, backend: Open) -> None:
    place = {"A": 0.2, KEY: 0.7, "B": 0.1}
    serve(
        says(f"A\nI was asked with Bearer {KEY}", logprobs({"A": 0.9, KEY: 0.1})), says("A", logprobs(place))
    )
    judge = backend(parallel=1)
    first, second = judge.judge([chat_request(item_id=f"q{i}") for i in range(2)])
    assert first.text == "A\nI was asked with Bearer [hidden]"
    assert second.distribution is not None
    assert second.distribution.preferred[0] == "[hidden]"
    assert KEY not in repr((first, second))


def test_a_key_that_is_written_in_pieces(serve: Serve, backend: Open) -> None:
    serve(streams("It is ", *KEY, " and no", "thing else, s", finish_reason="stop"))
    pieces = list(backend().write(chat_prompt(begun=""), max_tokens=50))
    assert "".join(piece.text for piece in pieces) == "It is [hidden] and nothing else, s"
    assert not any(KEY[n : n + 3] in piece.text for piece in pieces for n in range(len(KEY)))


def test_a_beginning_of_the_key_in_a_complaint(
    serve: Serve, backend: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    serve(refuses(400, "the key plain-key-4f1d... and gate-9931-made-up may not do that"))
    monkeypatch.setenv("OPENAI_API_KEY", "plain-key-4f1d7a90c2")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", f"X-Gateway-Token: {TOKEN}\nX-Title: may")
    [completion] = backend().judge([chat_request()])
    assert str(completion.error).endswith("answered 400 (the key [hidden]... and [hidden] may not do that)")


def test_half_characters_in_a_complaint_are_kept_by_no_run_file(serve: Serve, backend: Open) -> None:
    serve(refuses(400, "no \ud83d please"))
    [completion] = backend().judge([chat_request()])
    assert str(completion.error).endswith("(no \ufffd please)")
    assert json.dumps(completion.error, ensure_ascii=False).encode("utf-8")
