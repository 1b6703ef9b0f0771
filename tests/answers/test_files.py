"""Files: how they are opened, and what is said about one that cannot be read."""

import gzip
import io
import json
import os
import sys
import threading
import time
from pathlib import Path

import pytest

from judgecli.answers import InputOptions, files, load_pairs, read_answers
from judgecli.answers.files import file_stem
from judgecli.errors import DataError, UsageError
from tests.answers.made_up import answers, write_bytes, write_jsonl

ROW = b'{"id":"q1","question":"?","answer":"x"}\n'


def outputs(path):
    return [response.output for response in read_answers(path).responses]


def test_a_byte_order_mark_crlf_and_blank_lines_are_no_part_of_the_rows(tmp_path):
    rows = b'\xef\xbb\xbf{"id":"q1","answer":"x"}\r\n\r\n   \n{"id":"q2","answer":"y"}\r\n\n'
    read = read_answers(write_bytes(tmp_path / "a.jsonl", rows)).responses
    assert [(r.id, r.output, r.source.line) for r in read] == [("q1", "x", 1), ("q2", "y", 4)]


def test_the_last_line_needs_no_newline(tmp_path):
    assert outputs(write_bytes(tmp_path / "a.jsonl", ROW.strip())) == ["x"]


def test_datalad_3523_line_separators_inside_a_text_are_no_line_ends(tmp_path):
    row = b'{"id":"q1","question":"?","answer":"a\xe2\x80\xa8b\xc2\x85c\xe2\x80\xa9d"}\n'
    assert outputs(write_bytes(tmp_path / "a.jsonl", row)) == ["a\u2028b\x85c\u2029d"]


def test_lm_eval_2027_all_of_unicode_is_read_whatever_the_locale(tmp_path, monkeypatch):
    monkeypatch.setenv("LC_ALL", "C")
    text = "naïve ˈa 東京 🎉"
    row = f'{{"id":"q1","question":"Tōkyō?","answer":"{text}"}}\n'.encode()
    assert outputs(write_bytes(tmp_path / "a.jsonl", row)) == [text]


def test_gzip_is_told_by_its_content(tmp_path):
    packed = gzip.compress(ROW)
    assert outputs(write_bytes(tmp_path / "a.jsonl.gz", packed)) == ["x"]
    assert outputs(write_bytes(tmp_path / "packed.jsonl", packed)) == ["x"]


@pytest.mark.parametrize("damage", [lambda b: b[:-9], lambda b: b[:20] + b"\xff\xff\xff" + b[23:]])
def test_damaged_gzip_is_an_error(tmp_path, damage):
    path = write_bytes(tmp_path / "a.jsonl.gz", damage(gzip.compress(ROW * 9)))
    with pytest.raises(DataError, match=r"a\.jsonl\.gz"):
        read_answers(path)


def test_a_dash_is_stdin(monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(ROW)))
    read = read_answers("-")
    assert [str(r.source) for r in read.responses] == ["stdin:1"]
    assert not sys.stdin.buffer.closed


def test_stdin_cannot_be_both_inputs():
    with pytest.raises(UsageError, match="stdin"):
        load_pairs(InputOptions(baseline="-", candidate="-"))


def test_a_pipe_is_read_once(tmp_path):
    if not hasattr(os, "mkfifo"):
        pytest.skip("no named pipes here")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(ROW,))
    writer.start()
    assert outputs(str(pipe)) == ["x"]
    writer.join()


def test_a_missing_file_is_named_with_the_names_that_come_close(tmp_path):
    write_bytes(tmp_path / "answers.jsonl", ROW)
    with pytest.raises(DataError, match=r"anwsers\.jsonl: no such file; close to it: answers\.jsonl"):
        read_answers(str(tmp_path / "anwsers.jsonl"))


def test_a_missing_folder_is_said(tmp_path):
    with pytest.raises(DataError, match="there is no folder"):
        read_answers(str(tmp_path / "nowhere" / "a.jsonl"))


def test_a_folder_is_no_answer_file(tmp_path):
    with pytest.raises(DataError, match="is a folder"):
        read_answers(str(tmp_path))


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_file_is_an_error(tmp_path):
    path = tmp_path / "a.jsonl"
    write_bytes(path, ROW)
    path.chmod(0)
    with pytest.raises(DataError, match=r"a\.jsonl: cannot be read \(Permission denied\)"):
        read_answers(str(path))


def test_a_refused_open_is_an_error_in_one_sentence(tmp_path, monkeypatch):
    path = write_bytes(tmp_path / "a.jsonl", ROW)

    def refuse(*_args, **_kwargs):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(DataError, match=r"a\.jsonl: cannot be read \(Permission denied\)"):
        read_answers(path)


@pytest.mark.parametrize("name", ["a\0b", "x" * 5000])
def test_what_cannot_be_a_file_name_is_an_error(name):
    with pytest.raises(DataError):
        read_answers(name)


def test_promptfoo_345_an_empty_file_never_passes(tmp_path):
    with pytest.raises(DataError, match=r"a\.jsonl: empty \(0 bytes\)"):
        read_answers(write_bytes(tmp_path / "a.jsonl", b""))


@pytest.mark.parametrize("content", [b"\n\n \n", b"\xef\xbb\xbf", b"[]", b"id,answer\n"])
def test_promptfoo_345_a_file_without_rows_never_passes(tmp_path, content):
    with pytest.raises(DataError, match=r"a\.jsonl: .*at least one row"):
        read_answers(write_bytes(tmp_path / "a.jsonl", content))


def test_text_that_is_not_utf8_is_named_by_line_and_byte(tmp_path):
    content = ROW + b'{"id":"q2","answer":"na\xefve"}\n'
    with pytest.raises(DataError, match=rf"a\.jsonl:2: not UTF-8 \(0xef at byte {len(ROW) + 23}\)"):
        read_answers(write_bytes(tmp_path / "a.jsonl", content))


@pytest.mark.parametrize("encoding", ["utf-32", "utf-32-be"])
def test_utf32_is_not_called_utf16(tmp_path, encoding):
    text = ("" if encoding == "utf-32" else "\ufeff") + ROW.decode()
    with pytest.raises(DataError, match=r"a\.jsonl: is UTF-32 text; save it as UTF-8"):
        read_answers(write_bytes(tmp_path / "a.jsonl", text.encode(encoding)))


def test_utf16_is_named_and_not_guessed(tmp_path):
    with pytest.raises(DataError, match="UTF-16"):
        read_answers(write_bytes(tmp_path / "a.jsonl", ROW.decode().encode("utf-16")))
    with pytest.raises(DataError, match=r"a\.jsonl:1: NUL at byte 1.*UTF-16"):
        read_answers(write_bytes(tmp_path / "a.jsonl", ROW.decode().encode("utf-16-le")))


@pytest.mark.parametrize(
    ("head", "what"),
    [
        (b"PK\x03\x04", "ZIP"),
        (b"PAR1", "Parquet"),
        (b"\x28\xb5\x2f\xfd", "zstd"),
        (b"GGUF\x03\0\0\0", "NUL"),
        (b"\x89PNG\r\n\x1a\n", "not UTF-8"),
        (b"just some prose\n", "neither JSON nor a CSV header"),
        (b"12\n13\n", "neither JSON nor a CSV header"),
    ],
)
def test_what_is_no_answer_file_is_said_to_be_none(tmp_path, head, what):
    with pytest.raises(DataError, match=what):
        read_answers(write_bytes(tmp_path / "a.jsonl", head))


@pytest.mark.parametrize("opening", [b'{"id":"q1","answer":"', b'id,answer\nq1,"', b'["'])
def test_a_line_of_20_mb_is_read_in_linear_time(tmp_path, opening):
    content = opening + b"x" * 20_000_000
    closing = {b"{": b'"}', b"i": b'"', b"[": b'"]'}[opening[:1]]
    start = time.monotonic()
    path = write_bytes(tmp_path / "a.jsonl", content + closing)
    assert [len(text) for text in outputs(path)] == [20_000_000]
    assert time.monotonic() - start < 10


def test_a_line_of_20_mb_of_rubbish_gives_a_short_error(tmp_path):
    with pytest.raises(DataError) as raised:
        read_answers(write_bytes(tmp_path / "a.jsonl", b"x, y" * 5_000_000))
    assert len(str(raised.value)) < 2_000


def test_a_line_that_no_row_has_is_refused_before_it_is_read_to_its_end(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "_MAX_LINE_BYTES", 2**21)
    monkeypatch.setattr(files, "_PIECE_BYTES", 2**10)
    long = b'{"id":"q2","question":"?","answer":"' + b"x" * 2**20 + b'"}\n'
    assert [len(text) for text in outputs(write_bytes(tmp_path / "a.jsonl", ROW + long + ROW))]
    path = write_bytes(tmp_path / "a.jsonl", ROW + long[:-4] + long[40:-4] * 9)
    with pytest.raises(DataError, match=r"a\.jsonl:2: more than 2 MiB in one line; write JSON Lines"):
        read_answers(path)


def test_a_line_of_many_small_values_is_refused_before_they_fill_the_memory(tmp_path):
    values = b'{"id":"q1","question":"?","answer":"x","more":[' + b"{}," * (23 * 2**20) + b"{}]}\n"
    with pytest.raises(DataError, match=r"a\.jsonl:1: more than 64 MiB in one line; write JSON Lines"):
        read_answers(write_bytes(tmp_path / "a.jsonl", values))


def test_a_long_line_of_binary_data_is_named_by_its_first_nul(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "_PIECE_BYTES", 16)
    content = b"x" * 100 + bytes(10) + b"x" * 100
    with pytest.raises(DataError, match=r"a\.jsonl:1: NUL at byte 100; binary data"):
        read_answers(write_bytes(tmp_path / "a.jsonl", content))


def test_a_small_file_that_would_fill_the_memory_is_refused(tmp_path, monkeypatch):
    packed = gzip.compress(ROW * 20_000)
    path = write_bytes(tmp_path / "a.jsonl.gz", packed)
    assert len(ROW) * 20_000 > 200 * len(packed)
    assert outputs(path)[:2] == ["x", "x"]  # it is not large
    monkeypatch.setattr(files, "_MANY_BYTES", 2**19)
    with pytest.raises(
        DataError, match=r"a\.jsonl\.gz: unpacks to more than 200 times its size, .* unpack it"
    ):
        read_answers(path)
    rows = [{"id": f"{n}", "question": "Which?" * 99, "answer": os.urandom(9).hex()} for n in range(1000)]
    wordy = gzip.compress("".join(f"{json.dumps(row)}\n" for row in rows).encode())
    assert len(outputs(write_bytes(tmp_path / "wordy.gz", wordy))) == 1000


def test_hub_4915_windows_paths_blanks_and_non_ascii_are_just_paths(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in (r"C:\x\a.jsonl", "Zoë X ä.jsonl", "con.jsonl", "a:b"):
        try:
            write_bytes(Path(name), ROW)
        except OSError:
            continue  # not a legal name on this system
        assert outputs(name) == ["x"]


@pytest.mark.parametrize(
    ("path", "stem"),
    [
        (r"C:\Users\Zoë X\a.jsonl", "a"),
        ("runs/gpt-3.5-turbo.jsonl.gz", "gpt-3.5-turbo"),
        ("gpt-3.5", "gpt-3.5"),
        ("-", "stdin"),
        (".jsonl", ".jsonl"),
    ],
)
def test_a_side_without_a_model_name_is_called_after_its_file(path, stem):
    assert file_stem(path) == stem


def test_a_file_name_that_is_not_unicode_can_be_written_later(tmp_path):
    path = os.fsdecode(os.fsencode(tmp_path) + b"/a\xff.jsonl")
    try:
        Path(path).write_bytes(ROW)
    except OSError:
        pytest.skip("this file system wants Unicode names")
    assert "a\\udcff.jsonl" in read_answers(path).file
    read_answers(path).file.encode("utf-8")


def test_50_000_rows_are_paired_quickly(tmp_path):
    ids = [f"q{n}" for n in range(50_000)]
    a = write_jsonl(tmp_path / "a.jsonl", answers(*ids))
    start = time.monotonic()
    assert len(load_pairs(InputOptions(baseline=a, candidate=a)).pairs) == 50_000
    assert time.monotonic() - start < 30
