"""Where a text is cut: before the first of the stop texts in it, however tokens lie across them.

Blanks are none before the first word: a judge may begin its line of scores on the next line.
"""

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
        # blanks before the first word are no stop
        (("\n",), [b"\n", b"8 6", b"\n", b"Why"], "\n8 6"),
        (("\n",), [b"\n\n8 6\n"], "\n\n8 6"),
        (("\n\n",), [b" \n", b"\n", b"\n8", b" 6\n", b"\n"], " \n\n\n8 6"),
        ((" ", "\n"), [b" 8", b" 6"], " 8"),
        (("\n",), [b" ", b"\n", b"\n"], None),
        # a stop text that has more than blanks ends it wherever it is
        (("\nQ",), [b"\n", b"Q: 1"], ""),
        ((), [b"yes"], None),
    ],
)
def test_first_stop_text_ends_it(stop: tuple[str, ...], pieces: list[bytes], text: str | None) -> None:
    stream = _Stream(position=0, max_tokens=9, stop=stop)
    ends = [stream.add(piece) for piece in pieces]
    found = next((end for end in ends if end is not None), None)
    assert (None if found is None else stream.text[:found].decode()) == text
