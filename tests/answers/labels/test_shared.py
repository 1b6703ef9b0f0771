"""The labels of real files, where they are at hand beside the checkout."""

from collections import Counter
from pathlib import Path

import pytest

from judgecli.answers import InputOptions, labelled_items, labels_of, load_pairs, read_labels
from judgecli.types import LabelSource, Winner

DATA = Path(__file__).parents[4] / "shared" / "data"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the shared data are not here")
PARTS = {
    "Natural": 100,
    "Adversarial/Neighbor": 134,
    "Adversarial/GPTInst": 92,
    "Adversarial/GPTOut": 47,
    "Adversarial/Manual": 46,
}


def file(name):
    return str(DATA / name)


def counts(labels):
    return Counter(one.winner for one in labels.by_item.values())


def test_pandalms_majorities():
    labels = read_labels(file("pandalm/testset-v1.json"), ())
    assert labels.source is LabelSource.MAJORITY
    assert counts(labels) == {Winner.A: 422, Winner.B: 472, Winner.TIE: 105}
    assert labels.n_undecided == 0
    assert all(len(one.winners) == 3 for one in labels.by_item.values())
    assert labels.by_item["0"].metadata["cmp_key"] == "bloom-7b_llama-7b"


def test_pandalms_items_carry_the_same_labels():
    pairs = load_pairs(InputOptions(baseline=file("pandalm/testset-v1.json"))).pairs
    carried, read = labels_of(pairs, "x"), read_labels(file("pandalm/testset-v1.json"), pairs)
    assert {i: one.winner for i, one in carried.by_item.items()} == {
        i: one.winner for i, one in read.by_item.items()
    }


def test_a_run_of_other_ids_is_found_by_its_texts():
    run = labelled_items(file("normalised/pandalm.jsonl"))
    labels = read_labels(file("pandalm/testset-v1.json"), run)
    own = labels_of(run, "x")
    assert {i: one.winner for i, one in labels.by_item.items()} == {
        i: one.winner for i, one in own.by_item.items()
    }


@pytest.mark.parametrize(
    ("name", "n"), [("pandalm", 999), ("llmbar-natural", 100), ("llmbar-adversarial", 319)]
)
def test_normalised_files(name, n):
    labels = read_labels(file(f"normalised/{name}.jsonl"), ())
    assert (len(labels.by_item), labels.source) == (n, LabelSource.GOLD)
    assert all("source" in one.metadata for one in labels.by_item.values())


@pytest.mark.parametrize(("part", "n"), PARTS.items())
def test_llmbar(part, n):
    labels = read_labels(file(f"llmbar/{part}/dataset.json"), ())
    assert counts(labels).total() == n
    assert set(counts(labels)) == {Winner.A, Winner.B}


def test_offsetbias_is_seated_by_the_seed():
    path = file("offsetbias/biasbench.json")
    for seed in (0, 1):
        pairs = load_pairs(InputOptions(baseline=path, seed=seed)).pairs
        assert Counter(pair.metadata["bias"] for pair in pairs)["length bias"] == 17
        own = labels_of(pairs, path)
        assert 20 < counts(own)[Winner.A] < 60
        read = read_labels(path, pairs)
        assert {i: one.winner for i, one in read.by_item.items()} == {
            i: one.winner for i, one in own.by_item.items()
        }
    assert len(own.by_item) == 80
