"""Everything wrong with a family file is said when it is loaded, in one sentence with the file's name."""

from pathlib import Path

import pytest

from judgecli.errors import DataError
from judgecli.prompts import family_names, load_family, render
from judgecli.types import LabelsGrammar, Order, Seat
from tests.made_up import make_pair

MINE = """
name = "mine"
markers = ["<<answer>>"]

[grammar]
kind = "labels"
labels = { "one" = "first", "two" = "second" }

[[pair]]
text = "Which is better? {question}\\n"
cut = true

[[pair]]
when = "reference"
text = "Compare with: {reference}\\n"

[[pair]]
when = "no-reference"
text = "There is no reference.\\n"

[[pair]]
text = "1: {response_1}\\n2: {response_2}\\nAnswer: "
"""


@pytest.fixture
def family_file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.toml"
    path.write_text(MINE, encoding="utf-8")
    return path


def test_every_shipped_family_loads() -> None:
    assert {"chat", "judgelm"} <= set(family_names())
    for name in family_names():
        family = load_family(name)
        assert family.name == name
        assert family.source
        assert family.licence


def test_own_file_renders(family_file: Path) -> None:
    family = load_family(str(family_file))
    assert family.grammar == LabelsGrammar(labels={"one": Seat.FIRST, "two": Seat.SECOND})
    text = render(family, make_pair("x", "y"), Order.BA).text
    assert text == "Which is better? Capital of France?\nThere is no reference.\n1: y\n2: x\nAnswer: "
    assert "Compare with: Paris\n1:" in render(family, make_pair(reference="Paris"), Order.AB).text


def test_hash_is_of_the_file(family_file: Path) -> None:
    before = load_family(str(family_file)).hash
    family_file.write_text(MINE.replace("Which is", "Who is"), encoding="utf-8")
    assert load_family(str(family_file)).hash != before


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('name = "mine"', 'name = "mine"\ncolour = 3', "unknown key 'colour'"),
        ('name = "mine"', "", "no name"),
        ("{question}", "{questoin}", "block 1: unknown placeholder {questoin}"),
        ("{response_2}", "", "no block of [[pair]] shows {response_2}"),
        ("{question}", "", "shows {question}"),
        ("{question}", "{instruction}", "would drop inputs"),
        ('when = "reference"', 'when = "always"', "needs when = 'reference'"),
        ('when = "reference"', 'when = "sometimes"', "when is 'sometimes'"),
        ("cut = true", "cutt = true", "block 1: unknown key 'cutt'"),
        ("cut = true", "cut = 'always'", "block 1: cut is 'always'; it must be true, false or 'ranking'"),
        ("cut = true", "cut = 1", "block 1: cut is 1"),
        ('name = "mine"', 'name = "mine"\nstop = [""]', "stop '' must be a text"),
        ('name = "mine"', 'name = "mine"\nstop = [1]', "stop 1 must be a text"),
        ('kind = "labels"', 'kind = "words"', "kind is 'words'"),
        ('"two" = "second"', '"two" = "third"', "label 'two' is 'third'"),
        ('"two" = "second"', '"oneself" = "second"', "begins 'oneself'"),
        ('"two" = "second"', '"two" = "first"', "no label stands for 'second'"),
        ('"<<answer>>"', '"answer"', "marker 'answer' must hold one of"),
        ('"<<answer>>"', "3", "marker 3 must hold one of"),
        ("[grammar]", 'system = "Be fair."\n\n[grammar]', "system needs wrapper = 'chat'"),
        ("[grammar]", 'wrapper = "box"\n\n[grammar]', "wrapper is 'box'"),
        ("[grammar]", 'reader = "tea_leaves"\n\n[grammar]', "reader is 'tea_leaves'"),
        ("[grammar]", "[grammar", "not a readable prompt family"),
        ("[[pair]]", "[pair]", "not a readable prompt family"),
    ],
)
def test_faults_are_named(family_file: Path, old: str, new: str, sentence: str) -> None:
    family_file.write_text(MINE.replace(old, new), encoding="utf-8")
    with pytest.raises(DataError) as caught:
        load_family(str(family_file))
    assert str(caught.value).startswith(str(family_file))
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value).removeprefix(str(family_file)).strip()


@pytest.mark.parametrize(
    ("scores", "sentence"),
    [
        ("low = 5\nhigh = 1", "0 <= low < high"),
        ("low = 1", "0 <= low < high"),
        ("low = 1\nhigh = 10\nseparator = ''", "separator must be a text"),
        ("low = 1\nhigh = 10\nterminator = '.'", "terminator must be a text"),
        ("low = 1\nhigh = 10\nstep = 1", "unknown key 'step'"),
    ],
)
def test_score_grammars_that_cannot_be(family_file: Path, scores: str, sentence: str) -> None:
    labels = 'kind = "labels"\nlabels = { "one" = "first", "two" = "second" }'
    family_file.write_text(MINE.replace(labels, f'kind = "scores"\n{scores}'), encoding="utf-8")
    with pytest.raises(DataError, match="grammar"):
        load_family(str(family_file))
    with pytest.raises(DataError) as caught:
        load_family(str(family_file))
    assert sentence in str(caught.value)


def test_unknown_name_lists_the_families() -> None:
    with pytest.raises(DataError, match=r"no prompt family 'judgeml'; there are chat, judgelm"):
        load_family("judgeml")


def test_missing_file() -> None:
    with pytest.raises(DataError, match=r"nowhere.toml: not a readable prompt family"):
        load_family("nowhere.toml")
