"""Options that mean nothing are refused, and a run file has a name that is legal everywhere."""

import os
from pathlib import Path
from typing import Any

import pytest

from judgecli.answers import InputOptions
from judgecli.errors import UsageError
from judgecli.run import Orders, PairOptions
from judgecli.run.options import default_run_file
from judgecli.types import Order


def options(**more: Any) -> PairOptions:
    return PairOptions(input=InputOptions(baseline="a.jsonl", candidate="b.jsonl"), **more)


@pytest.mark.parametrize(
    ("baseline", "candidate", "name"),
    [
        ("a.jsonl", "b.jsonl", "a-vs-b.judge.jsonl"),
        ("v1/out.jsonl", "v2/out.jsonl", "v1-out-vs-v2-out.judge.jsonl"),
        ("out.jsonl", "v2\\out.jsonl", "out-vs-v2-out.judge.jsonl"),
        ("runs/1/a.jsonl.gz", "b.CSV", "a-vs-b.judge.jsonl"),
        ("-", "b.json", "stdin-vs-b.judge.jsonl"),
        ("pairs.jsonl", None, "pairs.judge.jsonl"),
        ("model.v1.2.jsonl", "b", "model.v1.2-vs-b.judge.jsonl"),
        (r"C:\Users\Zoë X\a.jsonl", r".\b.jsonl", "a-vs-b.judge.jsonl"),
        ("con.jsonl", None, "_con.judge.jsonl"),
        ("COM1.jsonl", None, "_COM1.judge.jsonl"),
        ("con.jsonl", "nul", "con-vs-nul.judge.jsonl"),
        ("x/a:b", "c*?.jsonl", "a_b-vs-c__.judge.jsonl"),
        ('q"<|>.json', "tab\t.json", "q____-vs-tab_.judge.jsonl"),
        ("trailing. .jsonl", "..jsonl", "trailing-vs-answers.judge.jsonl"),
        ("東京.jsonl", "🎉.jsonl", "東京-vs-🎉.judge.jsonl"),
        ("a\udcff.jsonl", "b", "a-vs-b.judge.jsonl"),
    ],
)
def test_the_default_run_file(baseline: str, candidate: str | None, name: str) -> None:
    assert default_run_file(baseline, candidate) == name


def test_long_names_are_cut_to_what_file_systems_take() -> None:
    name = default_run_file("東" * 200, "x" * 300)
    assert name.startswith("東東")
    assert len(os.fsencode(name)) <= 255


def test_out_wins_over_the_default_name() -> None:
    assert options().run_file == Path("a-vs-b.judge.jsonl")
    assert options(out=Path("x/y.jsonl")).run_file == Path("x/y.jsonl")


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"min_mass": -0.1}, "--min-mass is a probability from 0 to 1, not -0.1"),
        ({"min_mass": float("nan")}, "--min-mass is a probability from 0 to 1, not nan"),
        ({"n_ctx": 0}, "--n-ctx must be at least 1, not 0"),
        ({"n_threads": -1}, "--threads must be at least 1, not -1"),
        ({"model": ""}, "--model is empty"),
    ],
)
def test_values_that_mean_nothing_are_refused(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError) as error:
        options(**wrong)
    assert sentence in str(error.value)


def test_orders() -> None:
    assert Orders.BOTH.members == (Order.AB, Order.BA)
    assert Orders.AB.members == (Order.AB,)
