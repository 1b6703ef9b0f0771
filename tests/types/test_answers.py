"""When an answer counts as empty."""

import pytest

from judgecli.types import Response, Source


def is_empty(output: str) -> bool:
    return Response(output=output, source=Source(file="a.jsonl")).is_empty


@pytest.mark.parametrize(
    "output",
    [
        "",
        " \n\t\u00a0\u3000\u2028",
        "\u200b",  # zero-width space
        "\ufeff\n",
        "\u200d\u2060\u00ad\u061c",  # joiners, a soft hyphen, an Arabic letter mark
        "\u3164",  # a Hangul filler
        "\ufe0f",  # a variation selector
        "\0\x1b",
        "<think>a long thought</think>\u200b",
        "<thinking>never closed",
    ],
)
def test_an_answer_with_nothing_to_see_is_empty(output: str) -> None:
    assert is_empty(output)


@pytest.mark.parametrize(
    ("output", "is_so"),
    [
        ("<think>a long thought</think>", True),
        ("\0 <Thinking>never closed", True),
        ("\0\x1b", False),
        ("\u200b", False),
        ("", False),
        ("<think>x</think>4", False),
    ],
)
def test_an_answer_that_is_only_thinking(output: str, is_so: bool) -> None:
    assert Response(output=output, source=Source(file="a.jsonl")).is_only_thinking is is_so


@pytest.mark.parametrize("output", [".", "\u200b4", "0", "東", "🎉\ufe0f", "\ufffd", "<think>x</think>4"])
def test_an_answer_with_a_visible_character_is_not(output: str) -> None:
    assert not is_empty(output)
