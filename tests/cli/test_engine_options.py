"""The engine's options on the command line and in judge.toml, down to what the engine is opened with."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from judgecli.backends import scripted
from judgecli.backends.scripted import ScriptedBackend
from judgecli.types import CacheType, EngineOptions, SplitMode
from tests.conftest import Judge
from tests.judging import script, two_files

PAIR = ("pair", "a.jsonl", "b.jsonl", "--model", "scripted:judge.jsonl", "--prompt", "judgelm")


class Engine:
    """Stands in for llama.cpp: `opened` is what it was opened with, `settings` what it records."""

    def __init__(self) -> None:
        self.opened: list[EngineOptions] = []
        self.described: list[EngineOptions] = []
        self.settings: dict[str, Any] = dict(scripted.describe())

    def open_backend(self, _path: Path, *, engine: EngineOptions, **_options: object) -> ScriptedBackend:
        self.opened.append(engine)
        return ScriptedBackend(lambda _: "9 3\n")

    def describe(self, *, engine: EngineOptions, **_options: object) -> dict[str, Any]:
        self.described.append(engine)
        return self.settings


@pytest.fixture
def engine(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Engine:
    two_files(folder, ["x"], ["y"])
    script(folder, "9 3")
    made = Engine()
    module = SimpleNamespace(
        open_tokenizer=scripted.open_tokenizer, open_backend=made.open_backend, describe=made.describe
    )
    monkeypatch.setattr("judgecli.run.judge_choice.load_backend", lambda _: module)
    return made


def test_without_options_the_engine_chooses(judge: Judge, engine: Engine) -> None:
    assert judge(*PAIR).code == 0
    assert engine.opened == engine.described == [EngineOptions()]


def test_every_option_reaches_the_engine(judge: Judge, engine: Engine) -> None:
    judge(
        *PAIR,
        *("--threads", 3, "--n-gpu-layers", 20, "--n-ubatch", 32, "--type-k", "q8_0", "--type-v", "bf16"),
        *("--no-flash-attn", "--split-mode", "row", "--tensor-split", "3, 1.5", "--main-gpu", 1),
        *("--parallel", 4),
    )
    expected = EngineOptions(
        n_threads=3,
        n_gpu_layers=20,
        n_ubatch=32,
        type_k=CacheType.Q8_0,
        type_v=CacheType.BF16,
        flash_attn=False,
        split_mode=SplitMode.ROW,
        tensor_split=(3.0, 1.5),
        main_gpu=1,
        parallel=4,
    )
    assert engine.opened == engine.described == [expected]


def test_judge_toml_gives_defaults(judge: Judge, engine: Engine, folder: Path) -> None:
    (folder / "judge.toml").write_text(
        """
        n-ubatch = 128
        type-v = "q8_0"
        tensor-split = "3,1"
        parallel = 8
        """,
        encoding="utf-8",
    )
    judge(*PAIR, "--parallel", 2)
    given = EngineOptions(n_ubatch=128, type_v=CacheType.Q8_0, tensor_split=(3, 1), parallel=2)
    assert engine.opened == [given]
    (folder / "judge.toml").write_text("no-flash-attn = true\n", encoding="utf-8")
    judge(*PAIR, "--fresh")
    assert engine.opened[1:] == [EngineOptions(flash_attn=False)]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--threads", 0), "--threads must be a whole number from 1 to 512, not 0"),
        (("--n-ubatch", 9000), "--n-ubatch must be a whole number from 16 to 8192, not 9000"),
        (("--parallel", 0), "--parallel must be a whole number from 1 to 128, not 0"),
        (("--main-gpu", -1), "--main-gpu must be a whole number from 0 to 15, not -1"),
        (
            ("--type-k", "Q8_0"),
            "--type-k must be one of f32, f16, bf16, q8_0, q5_1, q5_0, q4_1, q4_0, not 'Q8_0'",
        ),
        (
            ("--type-v", "q8_0", "--no-flash-attn"),
            "--type-v q8_0 needs flash attention; drop --no-flash-attn, or take f16 for the values",
        ),
        (("--split-mode", "both"), "--split-mode must be one of none, layer, row, not 'both'"),
        (
            ("--tensor-split", "3;1"),
            "--tensor-split must be numbers with commas between them, such as 3,1, not '3;1'",
        ),
        (
            ("--tensor-split", ""),
            "--tensor-split must be numbers with commas between them, such as 3,1, not ''",
        ),
        (("--tensor-split", "0,0"), "--tensor-split must be shares from 0 up, not all of them 0, not 0,0"),
    ],
)
def test_a_value_that_means_nothing_is_one_sentence(
    judge: Judge, engine: Engine, options: tuple[Any, ...], sentence: str
) -> None:
    done = judge(*PAIR, *options)
    assert (done.code, done.out, done.sentence) == (2, "", sentence)
    assert engine.described == []


ON_A_CPU = {"name": "llama_cpp", "device": "cpu", "gpu_offload": False, "n_threads": 2}


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (("--n-gpu-layers", 20), "--n-gpu-layers does nothing"),
        (("--n-gpu-layers", -1), "--n-gpu-layers does nothing"),
        (("--split-mode", "row", "--main-gpu", 1), "--split-mode, --main-gpu do nothing"),
        (("--tensor-split", "3,1"), "--tensor-split does nothing"),
    ],
)
def test_options_for_a_gpu_warn_where_none_can_be_used(
    judge: Judge, engine: Engine, options: tuple[Any, ...], named: str
) -> None:
    engine.settings = ON_A_CPU
    done = judge(*PAIR, *options)
    (line,) = [line for line in done.err.splitlines() if line.startswith("warning: ")]
    assert line.endswith(f"so {named}")
    assert "warning" not in judge(*PAIR, "--fresh", *options, "--quiet").err


@pytest.mark.parametrize("options", [(), ("--n-gpu-layers", 0), ("--split-mode", "layer"), ("--parallel", 4)])
def test_no_warning_where_nothing_is_lost(judge: Judge, engine: Engine, options: tuple[Any, ...]) -> None:
    engine.settings = ON_A_CPU
    done = judge(*PAIR, *options)
    assert "device cpu, 2 threads" in done.err
    assert "warning" not in done.err


def test_no_warning_on_a_gpu(judge: Judge, engine: Engine) -> None:
    engine.settings = {"name": "llama_cpp", "device": "gpu", "gpu_offload": True}
    done = judge(*PAIR, "--n-gpu-layers", 20, "--split-mode", "row")
    assert "device gpu" in done.err
    assert "warning" not in done.err
