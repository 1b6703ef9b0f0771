"""Whatever the bytes: rows, or one error in one sentence."""

import json
import tempfile
from dataclasses import asdict
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from judgecli.answers import AnswersOptions, InputOptions, PairBy, load_answers, load_many, load_pairs
from judgecli.answers.reading import read_file
from judgecli.errors import JudgeError
from tests.answers.format_rows import PAIR_ROWS, ROWS, UNREAD

NAMES = sorted({name for row in [*ROWS.values(), *PAIR_ROWS.values(), *UNREAD.values()] for name in row})
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["", " ", "user", "assistant", "a", "1", "\ud800", "\0", "\u2028"])
    | st.text(alphabet="aé\n\r\x1b ", max_size=5)
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["role", "content", "from", "value", "turns", "answer", "text"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=6,
)
ROWS_OF_ANYTHING = st.lists(st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=6), max_size=4)
CSV_LIKE = st.text(alphabet='id,answer;\t"\r\n\u2028\x85 x', max_size=80).map(str.encode)
JSON_LIKE = st.text(alphabet='{}[]",:\\ud80"id"answer0123.eN\n', max_size=80).map(str.encode)


ANY = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=200)


def attempt(call, *arguments, **options):
    """Return what a call gives, or None where it refuses in one sentence."""
    try:
        return call(*arguments, **options)
    except JudgeError as refused:
        error = refused
    assert "\n" not in str(error)
    return None


def read_or_refuse(content):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a"
        path.write_bytes(content)
        answer_file = attempt(read_file, str(path))
        if answer_file is not None:
            assert answer_file.responses or answer_file.pair_rows
        for pair_by in PairBy:
            for turn in (None, 2):
                same = {"questions": str(path), "pair_by": pair_by, "turn": turn}
                for candidate in (str(path), None):
                    options = InputOptions(baseline=str(path), candidate=candidate, **same)
                    pairs = attempt(load_pairs, options)
                    check(pairs and pairs.pairs)
                for load_them, n in ((load_answers, 1), (load_many, 3)):
                    loaded = attempt(load_them, AnswersOptions(files=(str(path),) * n, **same))
                    check(loaded and loaded.items)


def check(items):
    """Check that what was loaded can be told apart, judged and written."""
    if items is None:
        return
    assert items
    assert len({item.id for item in items}) == len(items)
    for item in items:
        assert item.instruction.strip()
        assert {len(r.earlier_outputs) + 1 for r in item.responses} == {item.n_turns}
        assert len(item.earlier_references) + 1 == item.n_turns
        written = json.dumps(asdict(item), allow_nan=False, ensure_ascii=False)
        written.encode("utf-8")


@ANY
@given(st.binary(max_size=200))
def test_any_bytes_give_rows_or_one_error(content):
    read_or_refuse(content)


@ANY
@given(CSV_LIKE | JSON_LIKE)
def test_bytes_that_resemble_rows_give_rows_or_one_error(content):
    read_or_refuse(content)


@ANY
@given(ROWS_OF_ANYTHING, st.booleans())
def test_rows_with_any_values_give_pairs_or_one_error(rows, as_array):
    lines = "\n".join(json.dumps(row) for row in rows)
    read_or_refuse((json.dumps(rows) if as_array else lines).encode())


@ANY
@given(st.sampled_from([*ROWS.values(), *PAIR_ROWS.values()]), st.sampled_from(NAMES), VALUES)
def test_a_known_row_with_one_odd_value_gives_pairs_or_one_error(row, name, value):
    read_or_refuse(json.dumps({**row, name: value}).encode())


@st.composite
def documents_with_an_odd_place(draw):
    """Draw a known row, whatever it is nested in, with another value somewhere inside, or none there."""
    row = json.loads(json.dumps(draw(st.sampled_from([*ROWS.values(), *PAIR_ROWS.values()]))))
    places = list(places_in(row))
    holder, key = places[draw(st.integers(0, len(places) - 1))]
    if draw(st.booleans()):
        del holder[key]
    else:
        holder[key] = draw(VALUES)
    return row


def places_in(value):
    for key in list(value) if isinstance(value, dict) else range(len(value)):
        yield value, key
        if isinstance(value[key], dict | list):
            yield from places_in(value[key])


@ANY
@given(documents_with_an_odd_place(), st.booleans())
def test_a_known_document_with_an_odd_place_inside_gives_pairs_or_one_error(document, is_folded):
    read_or_refuse(json.dumps(document, indent=1 if is_folded else None).encode())
