"""Text that others wrote is shown as it is, moves no cursor and ends no run."""

import os
import sys
from pathlib import Path

import pytest

from tests.conftest import Judge
from tests.judging import answers, read_rows, script, strict_json, two_files, write_jsonl

RUN = Path("a-vs-b.judge.jsonl")
PAIR = ("pair", "a.jsonl", "b.jsonl")


def test_names_are_never_markup(judge: Judge, model: tuple[str, ...], folder: Path) -> None:
    name = "[/INST] [bold red]x[/] [result]"
    write_jsonl(folder / "a.jsonl", answers("GOOD", model=name))
    write_jsonl(folder / "b.jsonl", answers("poor [/b]", model="[link=x]b"))
    for form in ("terminal", "markdown", "json"):
        done = judge(*PAIR, *model, "--format", form, "--fresh")
        assert done.code == 0
        assert name in done.out
    (folder / "[red]b.jsonl").write_text("", encoding="utf-8")
    assert judge("pair", "a.jsonl", "[red]b.jsonl", *model).sentence.startswith("[red]b.jsonl: empty")


def test_foreign_text_cannot_move_the_cursor(judge: Judge, folder: Path) -> None:
    for name in ("a", "b"):
        rows = answers(f"{name} one", f"{name} two", model="\x1b[31mred\x07")
        write_jsonl(folder / f"{name}.jsonl", [{**row, "id": f"\x1b[2J\r\n{row['id']}"} for row in rows])
    done = judge(*PAIR, *script(folder, "no \x1b[1m"), "--n-ctx", 2000)
    assert done.code == 5
    assert "\x1b" not in done.out + done.err
    assert "\x07" not in done.out + done.err
    assert r"\x1b[2J" in done.sentence


def test_long_ids_and_texts_leave_the_sentence_readable(judge: Judge, folder: Path) -> None:
    for name in ("a", "b"):
        rows = [
            {**row, "id": f"{'x' * 30_000}{n}"} for n, row in enumerate(answers(f"{name} 1", f"{name} 2"))
        ]
        write_jsonl(folder / f"{name}.jsonl", rows)
    done = judge(*PAIR, *script(folder, "no " * 2000), "-r", "r.md", "--n-ctx", 200_000)
    assert done.code == 5
    assert "item 'xxxxxxxx" in done.sentence
    assert len(done.sentence) < 600
    assert len((folder / "r.md").read_text(encoding="utf-8")) < 65_000
    assert "for example" in done.out
    assert len(done.out) < 8_000


def test_lone_surrogates_end_no_run(judge: Judge, folder: Path) -> None:
    for name in ("a", "b"):
        row = rf'{{"id": "q\ud800", "question": "?\udfff", "answer": "{name} \ud83d", "model": "m\udc00"}}'
        (folder / f"{name}.jsonl").write_text(f"{row}\n", encoding="utf-8")
    reply = script(folder, "9 3\n\ud800")
    done = judge(*PAIR, *reply, "-r", "r.md", "-r", "r.json", "-r", "r.txt", "--format", "json")
    assert done.code == 0
    assert read_rows(RUN, "judgment")[0]["text"] == "9 3\n\ud800"
    assert strict_json((folder / "r.json").read_text(encoding="utf-8")) == done.report
    assert (folder / "r.md").read_text(encoding="utf-8")


@pytest.mark.skipif(sys.platform != "linux", reason="needs file names that are any bytes")
def test_a_file_name_that_is_no_text(judge: Judge, folder: Path) -> None:
    two_files(folder, ["GOOD"], ["poor"])
    name = os.fsdecode(b"a\xff.jsonl")
    (folder / "a.jsonl").rename(folder / name)
    for form in ("terminal", "json"):
        done = judge("pair", name, "b.jsonl", *script(folder, "9 3"), "-r", "r.txt", "--format", form)
        assert done.code == 0
    assert (folder / "a-vs-b.judge.jsonl").exists()
