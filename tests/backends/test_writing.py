"""Where a text is cut: before the first of the stop texts in it, however tokens lie across them."""

import pytest

from judgecli.backends.llama_cpp.writing import _Stream


@pytest.mark.parametrize(
    ("stop", "pieces", "text"),
    [
        (("e",), [b"1", b" better"], "1 b"),
        (("w", "n"), [b" answer"], " a"),
        (("ab",), [b"a", b"", b"b", b"c"], ""),
        (("\n",), [b"one", b"\n\n"], "one"),
        (("é",), [b"caf", b"\xc3", b"\xa9"], "caf"),
        (("end",), [b"the e", b"nd"], "the "),
        (("no",), [b"yes"], None),
        ((), [b"yes"], None),
    ],
)
def test_first_stop_text_ends_it(stop: tuple[str, ...], pieces: list[bytes], text: str | None) -> None:
    stream = _Stream(position=0, max_tokens=9, stop=stop)
    ends = [stream.add(piece) for piece in pieces]
    found = next((end for end in ends if end is not None), None)
    assert (None if found is None else stream.text[:found].decode()) == text
