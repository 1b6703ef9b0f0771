"""HELM runs: the whole state, or the two short files of a folder."""

import shutil

import pytest

from judgecli.answers import InputOptions, load_pairs, read_answers
from judgecli.errors import DataError
from tests.answers.logs.helm import instance, prediction, state, write_short, write_state

ROWS = [("id1", "id1?", "4", "4", "model-a"), ("id2", "id2?", "5", "4", "model-a")]


def rows(read):
    return [(r.id, r.instruction, r.output, r.reference, r.model) for r in read.responses]


def test_the_state_is_read_alone_and_from_its_folder(tmp_path):
    path = write_state(tmp_path / "scenario_state.json", state("id1"), state("id2", "5"))
    alone, folder = read_answers(path), read_answers(str(tmp_path))
    assert rows(alone) == rows(folder) == ROWS
    assert {r.finish_reason for r in alone.responses} == {"length"}
    assert (alone.format, alone.container, folder.container) == ("helm", "object", "folder")


def test_helm_1765_the_short_files_are_joined_whatever_numbers_they_hold(tmp_path):
    path = write_short(
        tmp_path,
        [instance("id2"), instance("id1")],
        [prediction("id1"), prediction("id2", "5")],
    )
    assert rows(read_answers(path)) == ROWS


def test_two_folders_are_two_models(tmp_path):
    for name, text in (("one", "4"), ("two", "5")):
        (tmp_path / name).mkdir()
        write_short(tmp_path / name, [instance("id1")], [prediction("id1", text)])
    loaded = load_pairs(InputOptions(baseline=str(tmp_path / "one"), candidate=str(tmp_path / "two")))
    assert [(p.id, p.response_a.output, p.response_b.output) for p in loaded.pairs] == [("id1", "4", "5")]
    assert (loaded.report.model_a, loaded.report.model_b) == ("model-a (one)", "model-a (two)")


def test_of_several_trials_the_first_is_judged(tmp_path):
    path = write_state(tmp_path / "scenario_state.json", state("id1"), state("id1", "5", 1))
    read = read_answers(path)
    assert [r.output for r in read.responses] == ["4"]
    assert "2 trials; trial 0 is judged, left out are 1" in read.notes[0]
    assert [r.output for r in read_answers(f"{path}#1").responses] == ["5"]


def test_perturbed_instances_are_left_out(tmp_path):
    perturbed = state("id1", "5", instance=instance("id1", perturbation={"name": "typos"}))
    read = read_answers(write_state(tmp_path / "scenario_state.json", state("id1"), perturbed))
    assert [r.output for r in read.responses] == ["4"]
    assert "1 perturbed instance left out" in read.notes[0]


def test_a_request_that_failed_has_no_answer(tmp_path):
    failed = state("id2", result={"success": False, "completions": [], "error": "Content filtered."})
    read = read_answers(write_state(tmp_path / "scenario_state.json", state("id1"), failed))
    assert (len(read.responses), read.failed) == (1, ("id2",))
    assert "id2 (Content filtered.)" in read.notes[0]


def test_a_folder_without_a_run_is_refused(tmp_path):
    with pytest.raises(
        DataError, match="is a folder; name the answer file in it, or the folder of a HELM run"
    ):
        read_answers(str(tmp_path))
    write_short(tmp_path, [instance("id1")], [prediction("id1")])
    (tmp_path / "instances.json").unlink()
    with pytest.raises(DataError, match=r"has display_predictions\.json and no instances\.json"):
        read_answers(str(tmp_path))
    with pytest.raises(DataError, match="give the folder of the run"):
        read_answers(str(tmp_path / "display_predictions.json"))


def test_files_of_another_shape_are_refused_in_one_sentence(tmp_path):
    write_short(tmp_path, {"id": 1}, [prediction("id1")])
    with pytest.raises(DataError, match="instances is not a list of objects, as it is in a HELM run"):
        read_answers(str(tmp_path))
    shutil.copy(tmp_path / "instances.json", tmp_path / "scenario_state.json")
    with pytest.raises(DataError):
        read_answers(str(tmp_path))


def test_the_first_of_several_completions_is_judged_and_it_is_said(tmp_path):
    several = state("id1")
    several["result"]["completions"].append({"text": "5"})
    read = read_answers(write_state(tmp_path / "scenario_state.json", several, state("id2")))
    assert [r.output for r in read.responses] == ["4", "4"]
    assert "1 row with several answers; the first is judged (result.completions[0].text)" in read.notes[0]
