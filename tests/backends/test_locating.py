"""A verdict is read from the last token boundary before it, whatever its place within a token."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judgecli.backends.llama_cpp.locating import VerdictStart, verdict_start


@pytest.mark.parametrize(
    ("pieces", "at", "n_tokens", "opening"),
    [
        ([b"Winner", b":", b" A"], 8, 2, " "),
        ([b"Winner", b": ", b"A"], 8, 2, ""),
        ([b"so", b" [[B", b"]]"], 5, 1, " [["),
        ([b"B", b" wins"], 0, 0, ""),
        ([b" B"], 1, 0, " "),
        ([b"4"], 1, 1, ""),
        ([b"", b"4"], 0, 1, ""),  # a control token has no text
        ([b"caf", b"\xc3", b"\xa9", b" 1"], 5, 3, " "),
        ([b"caf", b"\xc3", b"\xa9", b" 1"], 3, 1, ""),
        ([b"caf", b"\xc3", b"\xa9 ", b"1"], 4, 1, "é"),
        ([b"\xff", b"2"], 1, 1, ""),  # no character at all is shown as one
    ],
)
def test_boundary(pieces: list[bytes], at: int, n_tokens: int, opening: str) -> None:
    text = b"".join(pieces).decode("utf-8", "replace")
    assert verdict_start(text, pieces, at) == VerdictStart(n_tokens=n_tokens, opening=opening)


@given(st.lists(st.binary(max_size=4)), st.data())
def test_tokens_and_opening_make_the_text_before_the_verdict(
    pieces: list[bytes], data: st.DataObject
) -> None:
    text = b"".join(pieces).decode("utf-8", "replace")
    at = data.draw(st.integers(0, len(text)))
    start = verdict_start(text, pieces, at)
    before = b"".join(pieces[: start.n_tokens]).decode("utf-8", "replace")
    assert before + start.opening == text[:at]
