"""Texts and values that files may hold by accident or ill will, for tests that read whatever there is."""

import os
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

# The suite tries few; `JUDGECLI_TESTS_EXAMPLES=20000 pytest tests -k any` looks longer.
quietly = settings(
    max_examples=int(os.environ.get("JUDGECLI_TESTS_EXAMPLES", "25")),
    deadline=5000,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
# Numbers that no float holds, nesting without end, and a number of more digits than Python converts.
EXTREMES = [
    "1e999",
    str(10**400),
    "[" * 2000,
    "9" * 5000,
    "-0.0",
    "NaN",
    "\ud800",
    "\0",
    "{x}" * 200,
    "a{9999999999}",
]
numbers = st.integers() | st.floats() | st.sampled_from([10**400, -(10**400), 1e300, -0.0, 0.1])
values: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | numbers | st.text(max_size=8) | st.sampled_from(EXTREMES),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@st.composite
def damaged(draw: st.DrawFn, text: str) -> str:
    """Draw a text with a few stretches of it replaced, doubled or gone."""
    for _ in range(draw(st.integers(1, 4))):
        begin = draw(st.integers(0, len(text)))
        end = draw(st.integers(begin, min(len(text), begin + 40)))
        new = draw(
            st.text(max_size=6)
            | st.sampled_from([*EXTREMES, text[begin:end] * 2, '"', "{", "}", "[", "]", "\n", "=", "'''"])
            | numbers.map(str)
        )
        text = text[:begin] + new + text[end:]
    return text
