"""Options that mean nothing are refused, and a run file has a name that is legal everywhere."""

import os
from pathlib import Path
from typing import Any

import pytest

from judgecli.answers import InputOptions
from judgecli.errors import UsageError
from judgecli.run import Orders, PairOptions, Trusting
from judgecli.run.options import default_run_file
from judgecli.types import CacheType, EngineOptions, Order


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
    assert default_run_file([file for file in (baseline, candidate) if file is not None]) == name


def test_what_is_chosen_of_a_file_is_in_the_name(folder: Path) -> None:
    (folder / "results.json").touch()
    chosen = [f"results.json#{provider}" for provider in ("openai:gpt", "meta/llama")]
    assert default_run_file(chosen) == "results-openai_gpt-vs-results-meta_llama.judge.jsonl"
    assert default_run_file(["-#gpt", "log.eval"]) == "stdin-gpt-vs-log.judge.jsonl"


def test_long_names_are_cut_to_what_file_systems_take() -> None:
    name = default_run_file(["東" * 200, "x" * 300])
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
        ({"model": ""}, "--model is empty"),
    ],
)
def test_values_that_mean_nothing_are_refused(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError) as error:
        options(**wrong)
    assert sentence in str(error.value)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ({"n_threads": 0}, "--threads must be a whole number from 1 to 512, not 0"),
        ({"n_threads": 100_000}, "--threads must be a whole number from 1 to 512, not 100000"),
        ({"n_gpu_layers": -2}, "--n-gpu-layers must be a whole number from -1 to 1000000, not -2"),
        ({"n_gpu_layers": 2**31}, "--n-gpu-layers must be a whole number"),
        ({"n_ubatch": 0}, "--n-ubatch must be a whole number from 16 to 8192, not 0"),
        ({"n_ubatch": 8193}, "--n-ubatch must be a whole number from 16 to 8192, not 8193"),
        ({"n_ubatch": 512.0}, "--n-ubatch must be a whole number from 16 to 8192, not 512.0"),
        ({"n_ubatch": True}, "--n-ubatch must be a whole number from 16 to 8192, not True"),
        ({"main_gpu": -1}, "--main-gpu must be a whole number from 0 to 15, not -1"),
        ({"parallel": 0}, "--parallel must be a whole number from 1 to 128, not 0"),
        ({"parallel": 129}, "--parallel must be a whole number from 1 to 128, not 129"),
        ({"tensor_split": (3, -1)}, "--tensor-split must be shares from 0 up, not all of them 0, not 3,-1"),
        ({"tensor_split": (0, 0)}, "--tensor-split must be shares from 0 up, not all of them 0, not 0,0"),
        ({"tensor_split": (1, float("nan"))}, "not 1,nan"),
        ({"tensor_split": (1, float("inf"))}, "not 1,inf"),
        ({"tensor_split": (1,) * 17}, "--tensor-split has 17 shares; llama.cpp knows 16 GPUs at most"),
    ],
)
def test_an_engine_that_cannot_be_is_refused(wrong: dict[str, Any], sentence: str) -> None:
    with pytest.raises(UsageError) as error:
        EngineOptions(**wrong)
    assert sentence in str(error.value)


@pytest.mark.parametrize("kind", CacheType)
def test_only_quantized_values_need_flash_attention(kind: CacheType) -> None:
    assert EngineOptions(type_k=kind, flash_attn=False).type_k is kind
    if kind in {CacheType.F32, CacheType.F16, CacheType.BF16}:
        assert EngineOptions(type_v=kind, flash_attn=False).type_v is kind
        return
    with pytest.raises(UsageError, match=f"--type-v {kind} needs flash attention; drop --no-flash-attn"):
        EngineOptions(type_v=kind, flash_attn=False)


def test_the_ends_of_each_range_are_allowed() -> None:
    EngineOptions(n_threads=1, n_gpu_layers=-1, n_ubatch=16, main_gpu=0, parallel=1, tensor_split=(0, 1))
    EngineOptions(n_threads=512, n_gpu_layers=0, n_ubatch=8192, main_gpu=15, parallel=128)


def test_orders() -> None:
    assert Orders.BOTH.members == (Order.AB, Order.BA)
    assert Orders.AB.members == (Order.AB,)


@pytest.mark.parametrize(
    ("conditions", "option"),
    [
        ({"order_dependent": True}, "--order-dependent"),
        ({"order_dependent": True, "below": 0.7}, "--order-dependent"),
        ({"escalate": "big"}, "--escalate without a condition"),
    ],
)
def test_one_order_shows_no_dependence_on_the_order(conditions: dict[str, Any], option: str) -> None:
    trusting = Trusting(**conditions)
    with pytest.raises(UsageError, match=f"^{option} needs both orders; use --below"):
        options(orders=Orders.AB, trusting=trusting)
    options(trusting=trusting)


@pytest.mark.parametrize("conditions", [{"below": 0.7}, {"escalate": "big", "failed": True}, {}])
def test_other_conditions_need_one_order_only(conditions: dict[str, Any]) -> None:
    options(orders=Orders.AB, trusting=Trusting(**conditions))
