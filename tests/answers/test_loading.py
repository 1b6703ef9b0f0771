"""The whole way from options to pairs, and the report on it."""

import pytest

from judgecli.answers import Fields, InputOptions, load_pairs
from judgecli.errors import UsageError
from tests.answers.made_up import answers, load, write_jsonl

IDS = [f"q{n}" for n in range(20)]


def ids(loaded):
    return [pair.id for pair in loaded.pairs]


def test_a_limit_keeps_the_first_pairs_and_is_noted(tmp_path):
    loaded = load(tmp_path, answers(*IDS), answers(*IDS[::-1]), limit=3)
    assert ids(loaded) == IDS[:3]
    assert "3 of 20 pairs (the first)" in loaded.report.notes
    assert (loaded.report.n_a, loaded.report.n_b) == (20, 20)


def test_a_limit_beyond_the_end_keeps_everything(tmp_path):
    loaded = load(tmp_path, answers("q1"), answers("q1"), limit=5)
    assert (ids(loaded), loaded.report.notes) == (["q1"], ())


def test_a_sample_is_drawn_with_the_seed_and_keeps_the_files_order(tmp_path):
    drawn = ids(load(tmp_path, answers(*IDS), answers(*IDS), limit=5, sample=True))
    assert drawn == sorted(drawn, key=IDS.index)
    assert len(drawn) == 5
    assert drawn != IDS[:5]
    assert drawn != ids(load(tmp_path, answers(*IDS), answers(*IDS), limit=5, sample=True, seed=1))


def test_a_sample_does_not_depend_on_the_order_and_grows_with_its_size(tmp_path):
    drawn = set(ids(load(tmp_path, answers(*IDS), answers(*IDS), limit=5, sample=True)))
    assert set(ids(load(tmp_path, answers(*IDS[::-1]), answers(*IDS), limit=5, sample=True))) == drawn
    assert set(ids(load(tmp_path, answers(*IDS), answers(*IDS), limit=9, sample=True))) > drawn


@pytest.mark.parametrize("options", [{"limit": 0}, {"limit": -1}, {"sample": True}])
def test_a_limit_that_means_nothing_is_a_usage_error(tmp_path, options):
    with pytest.raises(UsageError, match="--limit"):
        load(tmp_path, answers("q1"), answers("q1"), **options)


def test_legalbench_55_empty_and_cut_answers_are_counted_for_each_side(tmp_path):
    a = answers("q1", "q2", "q3", "q4", "q5")
    for row, text in zip(a, ["", None, "   ", "<think>never closed", "fine"], strict=True):
        row["answer"] = text
    b = answers("q1", "q2", "q3", "q4", "q5")
    b[1]["finish_reason"], b[2]["finish_reason"] = "length", "stop"
    report = load(tmp_path, a, b).report
    assert (report.empty_a, report.empty_b) == (("q1", "q2", "q3", "q4"), ())
    assert (report.truncated_a, report.truncated_b) == ((), ("q2",))


def test_the_report_names_formats_fields_and_models(tmp_path):
    a = write_jsonl(tmp_path / "old.jsonl", answers("q1", model="m1"))
    b = write_jsonl(tmp_path / "new.jsonl", [{"question_id": "q1", "text": "x", "model_id": "m2"}])
    report = load_pairs(InputOptions(baseline=a, candidate=b)).report
    assert report.formats == ("plain (jsonl)", "fastchat (jsonl)")
    assert report.fields_used == {
        a: {"id": "id", "instruction": "question", "response": "answer", "model": "model"},
        b: {"id": "question_id", "response": "text", "model": "model_id"},
    }
    assert (report.model_a, report.model_b) == ("m1", "m2")


class TestNames:
    def names(self, folder, a, b, model_a=None, model_b=None):
        for path in (a, b):
            (folder / path).parent.mkdir(exist_ok=True)
        path_a = write_jsonl(folder / a, answers("q1", **({"model": model_a} if model_a else {})))
        path_b = write_jsonl(folder / b, answers("q1", **({"model": model_b} if model_b else {})))
        report = load_pairs(InputOptions(baseline=path_a, candidate=path_b)).report
        return report.model_a, report.model_b

    def test_files_without_models_name_the_sides(self, tmp_path):
        assert self.names(tmp_path, "old.jsonl", "new.jsonl") == ("old", "new")

    def test_one_model_in_two_files_is_told_apart_by_file(self, tmp_path):
        names = self.names(tmp_path, "old.jsonl", "new.jsonl", "m", "m")
        assert names == ("m (old)", "m (new)")

    def test_files_of_one_name_are_told_apart_by_folder(self, tmp_path):
        assert self.names(tmp_path, "x/out.jsonl", "y/out.jsonl") == ("x/out", "y/out")

    def test_the_same_file_twice_is_told_apart_by_side(self, tmp_path):
        assert self.names(tmp_path, "a.jsonl", "a.jsonl") == ("a (A)", "a (B)")

    def test_a_file_with_several_models_is_called_after_itself(self, tmp_path):
        rows = [*answers("q1", model="m1"), *answers("q2", model="m2")]
        assert load(tmp_path, rows, answers("q1", "q2", model="m3")).report.model_a == "a"


def test_everything_read_can_be_written_as_utf8(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text(r'{"id":"\ud800","question":"\ud800?","answer":"\udfff","model":"\ud801"}', "utf-8")
    loaded = load_pairs(InputOptions(baseline=str(path), candidate=str(path)))
    str(loaded).encode("utf-8")


def test_a_named_field_serves_both_files(tmp_path):
    rows = [{"key": "q1", "ask": "?", "reply": "x"}]
    fields = Fields(id="key", instruction="ask", response="reply")
    (pair,) = load(tmp_path, rows, rows, fields=fields).pairs
    assert (pair.id, pair.instruction, pair.response_b.output) == ("q1", "?", "x")
