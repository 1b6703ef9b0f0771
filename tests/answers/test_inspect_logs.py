"""Logs of inspect: `.json` and `.eval`, with what a log may hold beside one answer a sample."""

import gzip
import io
import json
import os
import sys
import threading
import zipfile

import pytest

from judgecli.answers import Fields, InputOptions, files, load_pairs, read_answers
from judgecli.errors import DataError
from tests.answers.logs.inspect import log, packed, sample
from tests.answers.made_up import said, write_bytes, write_jsonl


def rows(read):
    return [(r.id, r.instruction, r.output, r.reference, r.model, r.finish_reason) for r in read.responses]


def test_both_kinds_of_log_give_the_same_rows(tmp_path):
    samples = [sample(n) for n in (1, 2, 10)]
    plain = read_answers(write_bytes(tmp_path / "log.json", json.dumps(log(*samples), indent=1).encode()))
    archive = read_answers(write_bytes(tmp_path / "log.eval", packed(samples[2], *samples[:2])))
    assert rows(plain) == rows(archive)
    assert rows(plain)[0] == ("1", "1+2?", "4", "4", "model-a", "stop")
    assert [r.id for r in archive.responses] == ["1", "2", "10"]
    assert (plain.format, plain.container, archive.container) == ("inspect", "object", "zip")


def test_a_log_that_was_cut_short_has_no_header_yet(tmp_path):
    read = read_answers(write_bytes(tmp_path / "log.eval", packed(sample(1), header=False)))
    assert [r.model for r in read.responses] == ["model-a"]


def test_an_id_with_slashes_is_a_sample_like_others(tmp_path):
    ids = ["HumanEval/0", "HumanEval/10", "HumanEval/2", "a_epoch_1/b"]
    read = read_answers(write_bytes(tmp_path / "log.eval", packed(*map(sample, ids))))
    assert [r.id for r in read.responses] == ["HumanEval/0", "HumanEval/2", "HumanEval/10", "a_epoch_1/b"]


def test_a_sample_that_was_written_again_is_one_and_its_last_writing_counts(tmp_path):
    with pytest.warns(UserWarning, match="Duplicate name"):
        content = packed(sample(1), sample(1, "5"))
    read = read_answers(write_bytes(tmp_path / "log.eval", content))
    assert [(r.id, r.output) for r in read.responses] == [("1", "5")]


def test_a_log_that_keeps_samples_in_pieces_is_named_for_what_it_is(tmp_path):
    stored = io.BytesIO()
    with zipfile.ZipFile(stored, "w") as archive:
        archive.writestr("header.json", json.dumps({"version": 3, "status": "success", "eval": {}}))
        archive.writestr("samples/HumanEval/0_epoch_1/sample.json", json.dumps(sample("HumanEval/0")))
        archive.writestr("samples/HumanEval/0_epoch_1/messages/0.json", "[]")
    with pytest.raises(DataError, match=r"keeps each sample in pieces \(samples/HumanEval/0_epoch_1/sample"):
        read_answers(write_bytes(tmp_path / "log.eval", stored.getvalue()))


def test_an_archive_without_samples_is_called_an_inspect_file(tmp_path):
    with pytest.raises(DataError, match="an inspect file without answers"):
        read_answers(write_bytes(tmp_path / "log.eval", packed()))


def test_an_archive_is_read_from_stdin_and_from_a_pipe(tmp_path, monkeypatch):
    content = packed(sample(1))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    assert [r.output for r in read_answers("-").responses] == ["4"]
    if hasattr(os, "mkfifo"):
        pipe = tmp_path / "pipe"
        os.mkfifo(pipe)
        writer = threading.Thread(target=pipe.write_bytes, args=(content,))
        writer.start()
        assert [r.output for r in read_answers(str(pipe)).responses] == ["4"]
        writer.join()


def test_an_archive_in_gzip_is_unpacked_once(tmp_path, monkeypatch):
    many = [sample(f"q{n}", os.urandom(999).hex()) for n in reversed(range(99))]
    content = packed(*many)
    there = read_answers(write_bytes(tmp_path / "log.eval", content))
    unpacked = []
    read = gzip.GzipFile.read
    monkeypatch.setattr(gzip.GzipFile, "read", lambda file, n: unpacked.append(read(file, n)) or unpacked[-1])
    assert rows(read_answers(write_bytes(tmp_path / "log.eval.gz", gzip.compress(content)))) == rows(there)
    assert b"".join(unpacked) == content


def test_what_is_no_sample_of_an_archive_in_gzip_does_not_fill_the_memory_either(tmp_path, monkeypatch):
    stored = io.BytesIO(packed(sample(1)))
    with zipfile.ZipFile(stored, "a") as archive:
        archive.writestr("events.json", " " * 10**6)
    path = write_bytes(tmp_path / "log.eval.gz", gzip.compress(stored.getvalue()))
    assert len(rows(read_answers(path))) == 1
    monkeypatch.setattr(files, "_MANY_BYTES", 10**5)
    with pytest.raises(DataError, match=r"log\.eval\.gz: unpacks to more than 200 times its size"):
        read_answers(path)


def test_of_several_epochs_the_first_is_judged_and_another_can_be_chosen(tmp_path):
    path = write_bytes(tmp_path / "log.eval", packed(sample(1), sample(1, "5", 2), sample(1, "6", 3)))
    read = read_answers(path)
    assert [(r.id, r.output) for r in read.responses] == [("1", "4")]
    assert read.notes == (
        f"{path}: 3 epochs; epoch 1 is judged, left out are 2, 3 ({path}#2 judges another)",
    )
    assert [(r.id, r.output) for r in read_answers(f"{path}#3").responses] == [("1", "6")]
    with pytest.raises(DataError, match=r"#4: no epoch is called so; there are 1, 2, 3"):
        read_answers(f"{path}#4")


def test_two_epochs_of_one_log_can_be_compared(tmp_path):
    path = write_bytes(tmp_path / "log.eval", packed(sample(1), sample(1, "5", 2)))
    loaded = load_pairs(InputOptions(baseline=f"{path}#1", candidate=f"{path}#2"))
    assert [(p.response_a.output, p.response_b.output) for p in loaded.pairs] == [("4", "5")]
    assert loaded.report.model_a != loaded.report.model_b


def test_messages_make_a_conversation_and_several_targets_one_reference(tmp_path):
    one = sample(1, input=said("2+2?", "5", "Sure?"), target=["4", "four"])
    (answer,) = read_answers(write_jsonl(tmp_path / "log.json", [log(one)])).responses
    assert (answer.earlier_instructions, answer.earlier_outputs) == (("2+2?",), ("5",))
    assert (answer.instruction, answer.output, answer.reference) == ("Sure?", "4", "4 or four")


def test_long_texts_that_are_stored_beside_the_sample_are_put_back(tmp_path):
    one = sample(1, input="attachment://a1", attachments={"a1": "A long question?"})
    (answer,) = read_answers(write_jsonl(tmp_path / "log.json", [log(one)])).responses
    assert answer.instruction == "A long question?"


def test_a_sample_that_ended_with_an_error_has_no_answer(tmp_path):
    bad = sample(2, error={"message": "Timed out."}, output={"model": "m", "choices": [], "completion": ""})
    path = write_jsonl(tmp_path / "log.json", [log(sample(1), bad)])
    read = read_answers(path)
    assert ([r.id for r in read.responses], read.failed) == (["1"], ("2",))
    assert "1 of 2 samples failed and have no answer" in read.notes[0]
    assert "2 (Timed out.)" in read.notes[0]


def test_a_log_without_samples_is_refused(tmp_path):
    header_only = {"version": 2, "status": "error", "eval": {"task": "sums"}}
    with pytest.raises(DataError, match="an inspect log without samples"):
        read_answers(write_jsonl(tmp_path / "log.json", [header_only]))


def test_what_is_packed_with_zstd_is_refused_in_one_sentence(tmp_path):
    if sys.version_info >= (3, 14):
        pytest.skip("this Python reads zstd")
    content = packed(sample(1)).replace(b"\x08\x00", b"\x5d\x00")  # the method: deflate to zstd
    with pytest.raises(DataError, match=r"log\.eval: header\.json: packed in a way .*zstd.*--to json"):
        read_answers(write_bytes(tmp_path / "log.eval", content))


def test_another_archive_is_no_log(tmp_path):
    stored = io.BytesIO()
    with zipfile.ZipFile(stored, "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
    with pytest.raises(DataError, match=r"is a ZIP archive, but no inspect log \(a spreadsheet\?\)"):
        read_answers(write_bytes(tmp_path / "a.xlsx", stored.getvalue()))


@pytest.mark.parametrize("damage", [lambda b: b[:-30], lambda b: b[:60] + b"\xff" * 40 + b[100:]])
def test_a_damaged_archive_is_one_sentence(tmp_path, damage):
    with pytest.raises(DataError, match=r"log\.eval: .*(damaged|cannot be read)"):
        read_answers(write_bytes(tmp_path / "log.eval", damage(packed(sample(1), header=False))))


def test_a_sample_that_is_no_json_is_named(tmp_path):
    stored = io.BytesIO()
    with zipfile.ZipFile(stored, "w") as archive:
        archive.writestr("header.json", "{}")
        archive.writestr("samples/1_epoch_1.json", '{"id":\n')
    with pytest.raises(DataError, match=r"log\.eval: samples/1_epoch_1\.json:2: not JSON"):
        read_answers(write_bytes(tmp_path / "log.eval", stored.getvalue()))


def test_a_sample_that_unpacks_to_more_than_any_is_not_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr("judgecli.answers.archives._MAX_MEMBER_BYTES", 50)
    with pytest.raises(DataError, match="bytes unpacked, more than a sample ever has"):
        read_answers(write_bytes(tmp_path / "log.eval", packed(sample(1))))


def test_samples_that_would_fill_the_memory_are_not_unpacked(tmp_path, monkeypatch):
    many = [sample(f"q{n}", "x" * 10**6) for n in range(3)]
    path = write_bytes(tmp_path / "a.eval", packed(*many))
    assert len(rows(read_answers(path))) == 3
    monkeypatch.setattr(files, "_MANY_BYTES", 2 * 10**6)
    with pytest.raises(DataError, match=r"a\.eval: unpacks to more than 200 times its size, .* log convert"):
        read_answers(path)


def test_a_field_that_the_user_names_goes_before(tmp_path):
    one = sample(1, metadata={"plan": "think"})
    path = write_jsonl(tmp_path / "log.json", [log(one)])
    assert read_answers(path, fields=Fields(response="metadata.plan")).responses[0].output == "think"


def test_the_first_of_several_choices_is_judged_and_it_is_said(tmp_path):
    one = sample(1)
    one["output"]["choices"].append({"message": {"role": "assistant", "content": "5"}})
    path = write_jsonl(tmp_path / "log.json", [log(one, sample(2))])
    (note,) = read_answers(path).notes
    assert note == f"{path}: 1 row with several answers; the first is judged (output.completion)"
