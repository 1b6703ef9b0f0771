"""A prompt of the user's own, written from the README: it works at the first try, and each fault is named."""

import json
import re
from pathlib import Path

import pytest

from judgecli.prompts import Asking, family_names, load_family, read_rubric, read_shots
from judgecli.types import ScoresGrammar
from tests.conftest import Judge
from tests.judging import last_rows, script, two_files

SECTION = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8").split("## Judges\n")[1]
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", SECTION.split("\n## ")[0], re.DOTALL)
RUBRIC, MINE, SINGLE, COT = (text for kind, text in BLOCKS if kind == "toml")
(SHOTS,) = (text for kind, text in BLOCKS if kind == "jsonl")
PAIR = ("pair", "a.jsonl", "b.jsonl", "--prompt", "mine.toml")


@pytest.fixture
def model(folder: Path) -> tuple[str, ...]:
    two_files(folder, ["x <answer 1>"], ["y"])
    (folder / "mine.toml").write_text(MINE, encoding="utf-8")
    return script(folder, {"matches": r"<answer 1>\ny\n", "reply": '1"'}, '2"')[:2]


def test_it_works_at_the_first_try(judge: Judge, folder: Path, model: tuple[str, ...]) -> None:
    shown = judge("prompt", "show", *PAIR[1:], *model)
    assert shown.out == (
        "<system>You compare two answers.</system><user>Question 1?\n\n"
        "<answer 1>\nx (answer 1)\n<answer 2>\ny\n\n"
        'Which is better, 1 or 2? 0 if neither.</user><assistant>Better is answer "'
    )
    assert judge(*PAIR, *model).code == 0
    rows = last_rows(folder / "a-vs-b.judge.jsonl")
    assert [row["winner"] for row in rows.values()] == ["B", "B"]


def test_reasons_first_work_at_the_first_try(judge: Judge, folder: Path, model: tuple[str, ...]) -> None:
    (folder / "mine.toml").write_text(f"{MINE}\n{COT}", encoding="utf-8")
    shown = judge("prompt", "show", *PAIR[1:], *model, "--cot")
    assert shown.out.endswith("0 if neither. Give your reasons first.</user><assistant>")
    assert shown.err.endswith(
        "; put after the reasons: '\\n\\nBetter is answer \"'; marker altered in answer A\n"
    )
    assert judge("prompt", "show", *PAIR[1:], *model).out.endswith('<assistant>Better is answer "')
    model = script(folder, 'It is short.\n\nBetter is answer "2".')[:2]
    assert judge(*PAIR, *model, "--cot").code == 0
    rows = last_rows(folder / "a-vs-b.judge.jsonl")
    assert [row["winner"] for row in rows.values()] == ["B", "A"]


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("wrapper", "wraper", "mine.toml: unknown key 'wraper'; known keys: name, title"),
        ("{response_2}", "{response_3}", "[pair]: block 5: unknown placeholder {response_3}; known here: {"),
        ('kind = "labels"', 'kind = "scores"\nlow = 9\nhigh = 1', "[pair.grammar]: unknown key 'labels'"),
        (', "2" = "second"', "", "[pair.grammar]: no label stands for 'second'"),
        ('"2" = "second"', '"12" = "second"', "label '1' begins '12'; one could not be told from the other"),
    ],
)
def test_each_fault_is_named(
    judge: Judge, folder: Path, model: tuple[str, ...], old: str, new: str, sentence: str
) -> None:
    assert old in MINE
    (folder / "mine.toml").write_text(MINE.replace(old, new), encoding="utf-8")
    done = judge(*PAIR, *model)
    assert done.code == 3
    assert sentence in done.sentence


def test_a_grammar_that_cannot_match_is_named(judge: Judge, folder: Path, model: tuple[str, ...]) -> None:
    scores = 'kind = "scores"\nlow = 9\nhigh = 1\n'
    changed = re.sub(r'kind = "labels"\nlabels.*\n', scores, MINE)
    (folder / "mine.toml").write_text(changed, encoding="utf-8")
    done = judge(*PAIR, *model)
    assert done.code == 3
    assert (
        "[pair.grammar]: no score can be written: it needs low and high with 0 <= low < high" in done.sentence
    )


def test_the_other_examples_are_valid(folder: Path) -> None:
    (folder / "rubric.toml").write_text(RUBRIC, encoding="utf-8")
    rubric = read_rubric(folder / "rubric.toml")
    assert load_family("prometheus-2").task(1, Asking(rubric=rubric)).needs_rubric
    block = '[[single.block]]\ntext = "{question} {response}"\n'
    (folder / "single.toml").write_text(f'name = "single"\n\n{SINGLE}\n{block}', encoding="utf-8")
    task = load_family("single.toml").task(1)
    assert isinstance(task.grammar, ScoresGrammar)
    assert task.rule.pattern == r"Grade:\s*{verdict}"
    (folder / "shots.jsonl").write_text(SHOTS, encoding="utf-8")
    assert len(read_shots(folder / "shots.jsonl").shots) == len(list(map(json.loads, SHOTS.splitlines())))


def test_every_family_is_in_the_table() -> None:
    table = re.findall(r"^\| `([\w-]+)` \|", SECTION, re.MULTILINE)
    assert sorted(table) == family_names()
    for name, one, two, many in re.findall(r"^\| `([\w-]+)` \|(.*?)\|(.*?)\|(.*?)\|", SECTION, re.MULTILINE):
        family = load_family(name)
        shown = [bool(cell.strip()) for cell in (one, two, many)]
        assert shown == [family.has_task(n) for n in (1, 2, 3)], name
