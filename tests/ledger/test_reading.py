"""A run file is read back whole, or one sentence says where it is broken."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from judgecli.errors import DataError, OutputError
from judgecli.ledger import (
    LedgerWriter,
    RunFileState,
    current_judgments,
    read_ledger,
    run_file_state,
)
from judgecli.types import BOTH_ORDERS, DecidedBy, Failure, Order, Response, Source, Winner
from tests.ledger.made_up import HEADER, judged, planned, write_run
from tests.made_up import make_pair

ODD = 'line\u2028\u2029\u0085 lone \ud800 quote " back \\ nul \x00 \x1b[31m 😀 [/INST]'


def refused(path: Path) -> str:
    with pytest.raises(DataError) as error:
        read_ledger(path)
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.fixture
def run_file(tmp_path: Path) -> Path:
    """A header, the pairs q1 and q2, and a judgment of q1 in each order: lines 1 to 5."""
    pairs = [planned(), planned(make_pair(id="q2"))]
    return write_run(tmp_path / "run.jsonl", pairs, [judged(Order.AB), judged(Order.BA, Winner.B)])


def test_everything_comes_back(tmp_path: Path) -> None:
    source = Source(file="a.jsonl")
    response = Response(
        output=ODD, source=source, id="x", model=ODD, finish_reason="length", metadata={"c": [1, None]}
    )
    pair = make_pair(
        id=ODD, instruction=ODD, input=ODD, reference=ODD, metadata={"gold": "A"}, flags=("x", "y")
    )
    pairs = [
        planned(replace(pair, responses=(response, pair.response_b))),
        planned(make_pair(id="q2"), decided_by=DecidedBy.EMPTY_B),
        planned(make_pair(id="q3", metadata={"row": {"deep": [1.5]}})),
    ]
    judgments = [
        judged(of=ODD, text=ODD, scores={"A": 9.5}, p={"A": 1e-300}, mass=1.0, flags=("f",), elapsed_s=0.25),
        judged(Order.BA, None, of=ODD, failure=Failure.TOO_LONG, detail=ODD, n_prompt_tokens=1 << 40),
    ]
    ledger = read_ledger(write_run(tmp_path / "run.jsonl", pairs, judgments))
    assert ledger.header == HEADER
    assert list(ledger.planned) == pairs
    assert list(ledger.judgments.values()) == judgments
    assert ledger.torn_at is None


def test_the_file_is_plain_ascii_lines_of_strict_json(tmp_path: Path) -> None:
    path = write_run(tmp_path / "run.jsonl", [planned(make_pair(ODD))], [judged(text=ODD)])
    data = path.read_bytes()
    assert data.isascii()
    assert data.count(b"\n") == len(data.splitlines()) == 3
    assert [json.loads(line)["row"] for line in data.splitlines()] == ["header", "item", "judgment"]


def test_the_last_row_of_a_pair_order_and_prompt_counts(run_file: Path) -> None:
    with LedgerWriter(run_file, keep_bytes=run_file.stat().st_size) as writer:
        writer.write_judgment(judged(Order.AB, Winner.TIE))
        writer.write_judgment(judged(Order.AB, Winner.B, prompt="2"))
    ledger = read_ledger(run_file)
    current = current_judgments(ledger.planned, ledger.judgments)
    assert {order: current["q1", order].winner for order in BOTH_ORDERS} == {
        Order.AB: Winner.TIE,
        Order.BA: Winner.B,
    }


def test_judgments_of_prompts_that_are_no_longer_asked_are_apart(run_file: Path) -> None:
    with LedgerWriter(run_file, keep_bytes=run_file.stat().st_size) as writer:
        writer.write_plan(HEADER, [planned(prompt="2"), planned(make_pair(id="q2"))])
        writer.write_judgment(judged(Order.AB, prompt="2"))
    ledger = read_ledger(run_file)
    assert [one.item.id for one in ledger.planned] == ["q1", "q2"]
    assert len(ledger.judgments) == 3
    assert list(current_judgments(ledger.planned, ledger.judgments)) == [("q1", Order.AB)]


def test_a_judgment_before_the_last_header_counts_if_it_is_asked_again(run_file: Path) -> None:
    with LedgerWriter(run_file, keep_bytes=run_file.stat().st_size) as writer:
        writer.write_plan(HEADER, [planned(make_pair(id="q2"))])
        writer.write_plan(HEADER, [planned()])
    ledger = read_ledger(run_file)
    assert len(current_judgments(ledger.planned, ledger.judgments)) == 2


@pytest.mark.parametrize(
    "torn", [b'{"row": "judgment", "pai', b"{", b'{"row": "judgment"}', b"\xff", b"\xe2\x80"]
)
def test_a_last_line_that_was_cut_off_is_ignored(run_file: Path, torn: bytes) -> None:
    whole = run_file.read_bytes()
    run_file.write_bytes(whole + torn)
    ledger = read_ledger(run_file)
    assert ledger.torn_at == len(whole)
    assert len(ledger.judgments) == 2


def test_a_file_cut_anywhere_after_its_header_can_be_read(run_file: Path) -> None:
    whole = run_file.read_bytes()
    for end in range(whole.index(b"\n") + 1, len(whole), 7):
        run_file.write_bytes(whole[:end])
        assert len(read_ledger(run_file).judgments) == max(whole[:end].count(b"\n") - 3, 0)


def test_blank_lines_are_no_rows(run_file: Path) -> None:
    run_file.write_bytes(b"\n" + run_file.read_bytes().replace(b"\n", b"\r\n \n"))
    assert len(read_ledger(run_file).judgments) == 2


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (b"{", ":4: not JSON"),
        (b"\xff\xfe", ":4: not JSON"),
        (b"[" * 100_000, ":4: not JSON"),
        (b"[1]", ":4: not a row of a run file"),
        (b"null", ":4: not a row of a run file"),
        (b'{"row": "verdict"}', ":4: broken row of a run file (a row cannot be 'verdict')"),
        (b"{}", ":4: broken row of a run file (a row cannot be None)"),
        (b'{"row": "judgment"}', ":4: broken row of a run file"),
        (b'{"row": "pair"}', ":4: broken row of a run file"),
    ],
)
def test_a_broken_line_in_the_middle_is_named(run_file: Path, line: bytes, sentence: str) -> None:
    lines = run_file.read_bytes().splitlines()
    run_file.write_bytes(b"\n".join([*lines[:3], line, *lines[3:], b""]))
    assert refused(run_file).startswith(f"{run_file}{sentence}")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("item_id", 1),
        ("item_id", None),
        ("order", "AA"),
        ("order", ["AB"]),
        ("winner", "C"),
        ("winner", ""),
        ("winner", None),
        ("failure", "engine"),
        ("prompt_hash", {}),
        ("scores", {"A": "9"}),
        ("scores", {"A": True}),
        ("p", {"A": 10**400}),
        ("text", ["x"]),
        ("flags", "x"),
        ("flags", [1]),
        ("n_prompt_tokens", 1.5),
        ("n_prompt_tokens", -1),
        ("elapsed_s", -0.1),
        ("p", {"A": 1.2}),
        ("p", {"A": -0.2, "B": 0.9}),
        ("p", {"A": 0.7, "B": 0.7}),
        ("p_scores", {"8": 0.7, "9": 0.7}),
        ("p_scores", {"much": 0.5}),
        ("mass", 1.5),
        ("mass", -0.5),
        ("p_unopened", 2),
        ("confidence", 1.0),
    ],
)
def test_a_value_that_a_judgment_cannot_have_is_refused(run_file: Path, field: str, value: Any) -> None:
    *lines, last = run_file.read_bytes().splitlines()
    row = json.dumps(json.loads(last) | {field: value})
    run_file.write_bytes(b"\n".join([*lines, row.encode(), b""]))
    assert f"{run_file}:5: broken row of a run file" in refused(run_file)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("id", 7),
        ("instruction", None),
        ("responses", ["text"]),
        ("responses", [{"output": "x"}]),
        ("responses", [{"output": None, "source": {"file": "a"}}]),
        ("metadata", []),
        ("prompt_hashes", {"AC": "x"}),
        ("prompt_hashes", {"AB": 1}),
        ("prompt_hashes", {}),
        ("prompt_hashes", None),
        ("decided", "equal answers"),
        ("decided", {"AC": "equal answers"}),
        ("shown_characters", "9"),
        ("shown_characters", True),
        ("decided", ["judge"]),
        ("colour", "red"),
    ],
)
def test_a_value_that_a_pair_cannot_have_is_refused(run_file: Path, field: str, value: Any) -> None:
    lines = run_file.read_bytes().splitlines()
    lines[1] = json.dumps(json.loads(lines[1]) | {field: value}).encode()
    run_file.write_bytes(b"\n".join([*lines, b""]))
    assert f"{run_file}:2: broken row of a run file" in refused(run_file)


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_numbers_that_are_none_are_refused(run_file: Path, value: str) -> None:
    run_file.write_bytes(run_file.read_bytes().replace(b'"mass": null', f'"mass": {value}'.encode()))
    assert f"{run_file}:4: " in refused(run_file)


def test_a_pair_decided_by_the_judge_needs_prompts(run_file: Path) -> None:
    text = run_file.read_text(encoding="utf-8")
    assert '"decided": {}' in text
    hashes = text[text.index('"prompt_hashes"') : text.index('"decided"')]
    run_file.write_text(
        text.replace(hashes, '"prompt_hashes": {}, ', 1).replace(
            '"decided": {}', '"decided": {"AB": "judge"}', 1
        ),
        encoding="utf-8",
    )
    assert ":2: broken row" in refused(run_file)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "not a run file (no header row)"),
        (b'{"row": "header", "judgecli": "0.', "not a run file (no header row)"),
        (b'{"id": "q1", "question": "?", "answer": "x"}\n', "does not begin with a header"),
        (b'{"row": "judgment"}\n', "does not begin with a header"),
    ],
)
def test_what_is_no_run_file_is_said_so(tmp_path: Path, content: bytes, sentence: str) -> None:
    (tmp_path / "x.jsonl").write_bytes(content)
    assert sentence in refused(tmp_path / "x.jsonl")


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    assert "cannot read the run file (No such file" in refused(tmp_path / "missing.jsonl")
    assert "cannot read the run file (Is a directory" in refused(tmp_path)


@pytest.mark.parametrize(
    ("content", "state"),
    [
        (None, RunFileState.NEW),
        (b"", RunFileState.NEW),
        (b'{"ro', RunFileState.NEW),
        (b'{"row": "header", "model": {"na', RunFileState.NEW),
        (b'{"row": "header", "model": {}}\n{"row"', RunFileState.BEGUN),
        (b'{ "row":"header" }\n', RunFileState.BEGUN),
        (b'{"row": "pair"}\n', RunFileState.FOREIGN),
        (b'{"id": "q1"', RunFileState.FOREIGN),
        (b"# Notes\n", RunFileState.FOREIGN),
        (b"\n\n", RunFileState.FOREIGN),
        (b"\0" * 100, RunFileState.FOREIGN),
    ],
)
def test_what_is_where_a_run_file_should_go(
    tmp_path: Path, content: bytes | None, state: RunFileState
) -> None:
    path = tmp_path / "run.jsonl"
    if content is not None:
        path.write_bytes(content)
    assert run_file_state(path) is state


def test_a_folder_or_a_name_too_long_cannot_be_a_run_file(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="this is a folder; name a file in it with --out"):
        run_file_state(tmp_path)
    with pytest.raises(OutputError, match="name another with --out"):
        run_file_state(tmp_path / ("x" * 5000))
