"""Everything wrong with a family file is said when it is loaded, in one sentence with the file's name."""

from pathlib import Path

import pytest

from judgecli.errors import DataError
from judgecli.prompts import Asking, family_names, load_family, render
from judgecli.types import LabelsGrammar, Order, Seat, VerdictPlace
from tests.made_up import make_pair

MINE = """
name = "mine"
markers = ["<<answer>>"]

[texts]
ending = "Answer: "

[pair.grammar]
kind = "labels"
labels = { "one" = "first", "two" = "second" }

[[pair.block]]
text = "Which is better? {question}\\n"
cut = true

[[pair.block]]
when = "reference"
text = "Compare with: {reference}\\n"

[[pair.block]]
when = "no-reference"
text = "There is no reference.\\n"

[[pair.block]]
text = "1: {response_1}\\n2: {response_2}\\n{ending}"
"""
SEARCHING = """
name = "searching"

[single]
pattern = 'Score: {verdict}'

[single.grammar]
kind = "scores"
low = 1
high = 5
decimals = false
terminator = ""

[[single.block]]
text = "{question} {response}"
"""


@pytest.fixture
def family_file(tmp_path: Path) -> Path:
    path = tmp_path / "mine.toml"
    path.write_text(MINE, encoding="utf-8")
    return path


FAMILIES = {
    *("auto-j", "chat", "compassjudger-2", "flow-judge", "judgelm", "judgelm-mm-vet", "judgelrm", "mt-bench"),
    *("pandalm", "prometheus-1", "prometheus-2", "selene-1-mini", "selene-1-mini-classification"),
    "skywork-critic",
}


def written(path: Path, text: str) -> str:
    path.write_text(text, encoding="utf-8")
    return str(path)


def refusal(path: Path, text: str) -> str:
    """Return the sentence with which a family file is refused; it is one line that begins with the file."""
    with pytest.raises(DataError) as caught:
        load_family(written(path, text))
    sentence = str(caught.value)
    assert sentence.startswith(str(path))
    assert "\n" not in sentence.removeprefix(str(path)).strip()
    return sentence


def test_every_shipped_family_loads() -> None:
    assert set(family_names()) == FAMILIES
    for name in family_names():
        family = load_family(name)
        assert family.name == name
        assert family.source
        assert family.licence
        assert family.fine_tuned == (name not in {"chat", "mt-bench"})


def test_own_file_renders(family_file: Path) -> None:
    family = load_family(str(family_file))
    task = family.task(2)
    assert task.grammar == LabelsGrammar(labels={"one": Seat.FIRST, "two": Seat.SECOND})
    assert (task.place, task.rule.reader, task.locate) == (VerdictPlace.FIRST, "first_label", None)
    text = render(family, make_pair("x", "y"), Order.BA).text
    assert text == "Which is better? Capital of France?\nThere is no reference.\n1: y\n2: x\nAnswer: "
    assert "Compare with: Paris\n1:" in render(family, make_pair(reference="Paris"), Order.AB).text


def test_a_mark_of_byte_order_is_no_part_of_a_file(family_file: Path) -> None:
    family_file.write_text(f"\ufeff{MINE}", encoding="utf-8")
    assert load_family(str(family_file)).task(2).grammar is not None


def test_hash_is_of_the_file(family_file: Path) -> None:
    before = load_family(str(family_file)).hash
    family_file.write_text(MINE.replace("Which is", "Who is"), encoding="utf-8")
    assert load_family(str(family_file)).hash != before


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('name = "mine"', 'name = "mine"\ncolour = 3', "unknown key 'colour'; known keys: name, title"),
        ('name = "mine"', "", "no name"),
        ('name = "mine"', "name = 3", "name must be a text, not a whole number"),
        (
            "{question}",
            "{questoin}",
            "[pair]: block 1: unknown placeholder {questoin}; known here: {alternative}",
        ),
        ("{response_2}", "", "[pair]: no block shows {response_2}"),
        ("{question}", "", "no block shows {question}"),
        ("{question}", "{instruction}", "would drop inputs"),
        ("{question}", "{number}", "unknown placeholder {number}"),
        ("{question}", "{turn}", "unknown placeholder {turn}"),
        ("{question}", "{question} {aspect}", "shows {aspect} and needs when = 'aspect'"),
        ("{question}", "{question} {rubric}", "needs when = 'rubric' (or needs = ['rubric'] in its table)"),
        ("{question}", "{question} {high}", "{high} has no value: a grammar of labels has no scale"),
        ('when = "reference"', "when = []", "needs when = 'reference' (or needs = ['reference']"),
        (
            'when = "reference"',
            'when = "sometimes"',
            "block 2: when is 'sometimes'; it must be one of 'question'",
        ),
        ('when = "reference"', 'when = "reference"\neach = "answer"', "each = 'answer' is for [multi]"),
        ('when = "reference"', 'when = "reference"\neach = "item"', "each is 'item'"),
        ('when = "reference"', 'when = "reference"\nrole = "user"\nrol = 1', "unknown key 'rol'"),
        ("cut = true", "cutt = true", "block 1: unknown key 'cutt'"),
        ("cut = true", "cut = 'always'", "block 1: cut is 'always'; it must be true, false or 'ranking'"),
        ("cut = true", "cut = 1", "block 1: cut is 1"),
        ('name = "mine"', 'name = "mine"\nstop = [""]', "stop '' must be a text"),
        ('name = "mine"', 'name = "mine"\nstop = [1]', "stop 1 must be a text"),
        ("[pair.grammar]", "[pair.grammer]", "[pair]: unknown key 'grammer'; known keys: grammar, reader"),
        ('kind = "labels"', 'kind = "words"', "[pair.grammar]: kind is 'words'"),
        ('"two" = "second"', '"two" = "third"', "[pair.grammar]: label 'two' is 'third'"),
        ('"two" = "second"', '"oneself" = "second"', "begins 'oneself'"),
        ('"two" = "second"', '"two" = "second", "TWO" = "first"', "are read alike"),
        ('"two" = "second"', '"two" = "first"', "no label stands for 'second'"),
        ('"two" = "second"', '"two\\nthree" = "second"', "cannot match: a verdict is read from one line"),
        ("labels = {", "label = {", "[pair.grammar]: unknown key 'label'"),
        ('labels = { "one" = "first", "two" = "second" }', "", "it needs labels, such as labels = {"),
        ('"two" = "second"', '"two" = "second", " " = "tie"', "a label is blank; a verdict is a word"),
        ('"<<answer>>"', '"answer"', "marker 'answer' must hold one of"),
        ('"<<answer>>"', "3", "marker 3 must hold one of"),
        (
            "[texts]",
            'wrapper = "box"\n\n[texts]',
            "wrapper is 'box'; it must be 'raw', 'chat', or a text with",
        ),
        ("[texts]", 'wrapper = "{user} {system}"\n\n[texts]', "{system} after {user}"),
        ("[texts]", 'wrapper = "{user} {model}"\n\n[texts]', "not {model} here"),
        ("[texts]", 'rubric_line = "{score}"\n\n[texts]', "must hold {score} and {description}"),
        ("[pair.grammar]", '[pair]\nreader = "tea_leaves"\n\n[pair.grammar]', "reader is 'tea_leaves'"),
        ("[pair.grammar]", '[pair]\nreader = "first_line_scores"\n\n[pair.grammar]', "reads scores"),
        ("[pair.grammar]", '[pair]\nreader = "last_match"\n\n[pair.grammar]', "needs a pattern"),
        ("[pair.grammar]", "[pair]\nmax_tokens = 0\n\n[pair.grammar]", "max_tokens is 0"),
        ("[pair.grammar]", '[pair]\nneeds = ["time"]\n\n[pair.grammar]', "needs is 'time'"),
        ("[pair.grammar]", '[pair]\nassistant_prefix = "{x}"\n\n[pair.grammar]', "unknown placeholder {x}"),
        ("[pair.grammar]", '[pair]\nparts = { a = "" }\n\n[pair.grammar]', "parts 'a' must be the heading"),
        ("[pair.grammar]", "[pair.grammar", "not a readable prompt family"),
        ("[[pair.block]]", "[pair.block]", "not a readable prompt family"),
        (MINE[MINE.index("[texts]") :], "", "no prompt; a family needs [pair]"),
        (MINE[MINE.index("[[pair.block]]") :], "", "[pair]: no [[pair.block]]"),
        (
            MINE[MINE.index("[pair.grammar]") :],
            '[[pair]]\ntext = "x"\n',
            "write [pair], and [[pair.block]] for",
        ),
        ("[pair.grammar]", "[grammar]", "write [pair.grammar] or [single.grammar]"),
        (
            "{ending}",
            "{start}",
            "unknown placeholder {start}; known here: {alternative}, {aspect}, {criterion}, {ending}",
        ),
        ("{ending}", "", ": [texts] ending is in no block; write {ending} in one, or remove it"),
        (
            'ending = "A',
            'ending = "{answer} A',
            "block 4: [texts] ending: unknown placeholder {answer}; known",
        ),
        ("[texts]", '[texts]\nstart = "S"', ": [texts] start is in no block"),
    ],
)
def test_faults_are_named(family_file: Path, old: str, new: str, sentence: str) -> None:
    assert old in MINE
    assert sentence in refusal(family_file, MINE.replace(old, new))


def test_system_text_needs_a_wrapper_that_takes_it(family_file: Path) -> None:
    spoken = MINE.replace("cut = true", 'role = "system"')
    assert "role = 'system' needs wrapper = 'chat'" in refusal(family_file, spoken)
    in_user = spoken.replace("[texts]", 'wrapper = "[INST] {user} [/INST]"\n\n[texts]')
    assert "the wrapper has no {system}" in refusal(family_file, in_user)
    whole = in_user.replace("[INST] {user}", "[INST] {system}; {user}")
    text = render(load_family(written(family_file, whole)), make_pair("x", "y"), Order.AB).text
    assert text.startswith("[INST] Which is better? Capital of France?\n; There is no reference.\n1: x")
    assert text.endswith("Answer:  [/INST]")
    cut = whole.replace('role = "system"', 'role = "system"\ncut = true')
    assert "cut has no use in a system text" in refusal(family_file, cut)


@pytest.mark.parametrize(
    ("scores", "sentence"),
    [
        ("low = 5\nhigh = 1", "no score can be written: it needs low and high with 0 <= low < high"),
        ("low = 1", "0 <= low < high"),
        ("low = 1\nhigh = 10\nseparator = ''", "separator must be a text"),
        ("low = 1\nhigh = 10\nterminator = '.'", "terminator must be a text"),
        ("low = 1\nhigh = 10\ndecimals = false\nterminator = ''", "terminator must be a text"),
        ("low = 1\nhigh = 10\nstep = 1", "unknown key 'step'"),
        ("low = 1\nhigh = 10\nopening = 'x'", "opening must be blank"),
        ("low = 1\nhigh = 10\nscale = 'mine'", "scale is 'mine'"),
        ("low = '1'\nhigh = 10", "low must be a whole number, not a text"),
    ],
)
def test_score_grammars_that_cannot_be(family_file: Path, scores: str, sentence: str) -> None:
    labels = 'kind = "labels"\nlabels = { "one" = "first", "two" = "second" }'
    found = refusal(family_file, MINE.replace(labels, f'kind = "scores"\n{scores}'))
    assert "[pair.grammar]" in found
    assert sentence in found


@pytest.mark.parametrize(
    ("pattern", "sentence"),
    [
        ("Score:", "must hold {verdict} once"),
        ("{verdict} {verdict}", "must hold {verdict} once"),
        ("[{verdict}]", "what stands before {verdict} must be a regular expression of its own"),
        ("(Score|{verdict})", "of its own"),
        ("(Score) {verdict}", "write (?:...) for a group"),
        ("Score{verdict}", "can match nothing: {verdict} is a word of its own"),
        ("{verdict}points", "can match nothing"),
    ],
)
def test_patterns_that_cannot_match(family_file: Path, pattern: str, sentence: str) -> None:
    found = refusal(family_file, SEARCHING.replace("Score: {verdict}", pattern))
    assert "[single]: pattern" in found
    assert sentence in found


def test_a_pattern_is_for_a_reader_that_searches(family_file: Path) -> None:
    task = load_family(written(family_file, SEARCHING)).task(1)
    assert (task.rule.reader, task.place) == ("last_match", VerdictPlace.LAST)
    other = SEARCHING.replace("[single]", '[single]\nreader = "first_line_scores"')
    assert "pattern has no use with reader 'first_line_scores'" in refusal(family_file, other)


@pytest.mark.parametrize(
    ("labels", "sentence"),
    [
        ('{ Yes = "first", No = 0 }', "label 'Yes' must stand for a score"),
        ("{ Yes = 1 }", "one label alone cannot grade"),
        ("{ Yes = true, No = false }", "label 'Yes' must stand for a score"),
    ],
)
def test_labels_of_one_answer_stand_for_scores(family_file: Path, labels: str, sentence: str) -> None:
    scores = SEARCHING[SEARCHING.index("kind =") : SEARCHING.index("[[single.block]]")]
    changed = SEARCHING.replace(scores, f'kind = "labels"\nlabels = {labels}\n\n')
    assert sentence in refusal(family_file, changed)


def test_many_answers_are_scored(family_file: Path) -> None:
    changed = MINE.replace("pair.", "multi.").replace("1: {response_1}\\n2: {response_2}", "{ending}")
    assert "labels cannot rank three answers" in refusal(family_file, changed)


def test_a_form_with_reasons_first_is_checked_too(family_file: Path) -> None:
    cot = "[pair.cot]\npattern = 'So: {verdict}'\n\n[[pair.block]]"
    family = load_family(written(family_file, MINE.replace("[[pair.block]]", cot, 1)))
    task = family.task(2, Asking(cot=True))
    assert (task.rule.reader, task.rule.pattern) == ("last_match", "So: {verdict}")
    assert family.task(2).rule.reader == "first_label"
    wrong = MINE.replace("[[pair.block]]", cot.replace("pattern", "patern"), 1)
    assert "[pair.cot]: unknown key 'patern'" in refusal(family_file, wrong)
    wrong = MINE.replace("[[pair.block]]", "[pair.cot]\nmax_tokens = 9\n\n[[pair.block]]", 1)
    assert "[pair.cot]: the verdict comes after reasons, so it needs a pattern" in refusal(family_file, wrong)


def test_unknown_name_lists_the_families() -> None:
    with pytest.raises(DataError, match=r"no prompt family 'judgeml'; there are auto-j, chat, .*judgelm"):
        load_family("judgeml")


def test_missing_file() -> None:
    with pytest.raises(DataError, match=r"nowhere.toml: not a readable prompt family"):
        load_family("nowhere.toml")


def test_no_prompt_for_so_many_answers() -> None:
    sentence = r"'pandalm' has no prompt for one answer, only for two answers; name another with --prompt"
    with pytest.raises(DataError, match=sentence):
        load_family("pandalm").task(1)
    assert [load_family("judgelm").has_task(n) for n in (1, 2, 3, 19)] == [True] * 4
    assert [load_family("flow-judge").has_task(n) for n in (1, 2, 3)] == [True, False, False]
