"""Logs of OpenAI evals: the sampling events among the others."""

import pytest

from judgecli.answers import read_answers
from judgecli.errors import DataError
from tests.answers.logs.openai_evals import REPORT, SPEC, drawn, event
from tests.answers.made_up import write_jsonl


def test_sampling_events_are_the_answers_and_matches_have_the_references(tmp_path):
    rows = [
        SPEC,
        drawn("s.0"),
        event("s.0", "match", correct=True, expected="4", sampled="4"),
        drawn("s.1", "5"),
        event("s.1", "match", correct=False, expected=["4", "four"], sampled="5"),
        REPORT,
    ]
    read = read_answers(write_jsonl(tmp_path / "log.jsonl", rows))
    assert read.format == "openai-evals"
    assert [(r.id, r.instruction, r.output, r.reference, r.model) for r in read.responses] == [
        ("s.0", "s.0?", "4", "4", "model-a"),
        ("s.1", "s.1?", "5", "4 or four", "model-a"),
    ]
    assert read.notes == ()


def test_what_a_grading_model_drew_is_no_answer(tmp_path):
    rows = [SPEC, drawn("s.0"), drawn("s.0", "Grade: A"), drawn("s.1")]
    read = read_answers(write_jsonl(tmp_path / "log.jsonl", rows))
    assert [(r.id, r.output) for r in read.responses] == [("s.0", "4"), ("s.1", "4")]
    assert "1 sample drawn more than once; the first answer to each is judged" in read.notes[0]


def test_a_text_as_the_prompt_and_as_the_sample(tmp_path):
    rows = [SPEC, event("s.0", prompt="2+2?", sampled="4")]
    read = read_answers(write_jsonl(tmp_path / "log.jsonl", rows))
    assert [(r.instruction, r.output) for r in read.responses] == [("2+2?", "4")]


def test_a_log_without_samplings_is_refused(tmp_path):
    with pytest.raises(DataError, match="without sampling events, which hold the answers"):
        read_answers(write_jsonl(tmp_path / "log.jsonl", [SPEC, REPORT]))


def test_the_first_of_several_texts_is_judged_and_it_is_said(tmp_path):
    rows = [SPEC, event("s.0", prompt="2+2?", sampled=["4", "5"]), drawn("s.1")]
    read = read_answers(write_jsonl(tmp_path / "log.jsonl", rows))
    assert [r.output for r in read.responses] == ["4", "4"]
    assert "1 row with several answers; the first is judged (data.sampled[0])" in read.notes[0]
