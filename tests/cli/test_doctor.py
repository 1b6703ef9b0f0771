"""What this installation can do: healthy, broken in the ways that happen, and on narrow terminals."""

import json
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from judgecli.cli.diagnosis_json import diagnosis_object
from judgecli.cli.diagnosis_text import diagnosis_lines
from judgecli.diagnosis import Diagnosis, Findings
from judgecli.diagnosis.findings import DefaultJudge
from judgecli.diagnosis.gpus import NVIDIA_SMI_TIMEOUT_S
from judgecli.diagnosis.machine import Cores
from judgecli.diagnosis.problems import find_problems
from judgecli.registry import Integrity
from tests.conftest import Judge
from tests.diagnosis.made_up import CUDA, make_engine, make_findings, make_folder, make_gpus, make_model
from tests.gguf_files import gguf_bytes
from tests.judging import Done, strict_json
from tests.registry.layout import JUDGELM, JUDGELM_Q4, cached

pytestmark = pytest.mark.usefixtures("caches")
MODEL = gguf_bytes()
REINSTALL = 'CMAKE_ARGS="-DGGML_CUDA=on" pip install --force-reinstall --no-cache-dir llama-cpp-python'
ASCII_ONLY = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii", "PYTHONCOERCECLOCALE": "0"}
KEYS = {
    *("can_judge", "judgecli", "python", "platform", "engine", "cores", "core_quota", "memory"),
    *("system_gpus", "nvidia_smi", "hub_cache", "own_cache", "models", "demo_installed"),
    *("default_judge", "endpoint", "problems"),
}


def diagnosed(**more: Any) -> Diagnosis:
    findings = make_findings(**more)
    return Diagnosis(findings=findings, problems=tuple(find_problems(findings)))


def text(diagnosis: Diagnosis, width: int = 80) -> str:
    return "\n".join(diagnosis_lines(diagnosis, width, color=False))


def row(lines: str, label: str) -> str:
    """Return a row of the report, from its label to the next one."""
    found: list[str] = []
    for line in lines.splitlines():
        if line[:13].strip() == label or (found and line.startswith(" " * 13)):
            found.append(line[13:])
        elif found:
            break
    return " ".join(found)


def program(folder: Path, script: str) -> str:
    """Put an nvidia-smi into a folder and return the PATH that finds it first."""
    (folder / "bin").mkdir()
    path = folder / "bin" / "nvidia-smi"
    path.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    path.chmod(0o755)
    return f"{path.parent}:/bin:/usr/bin"


@pytest.fixture
def no_llama_cpp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A llama_cpp that cannot be imported stands before the real one."""
    package = tmp_path / "places" / "llama_cpp"
    package.mkdir(parents=True)
    source = "raise RuntimeError('Failed to load libllama.so: libcudart.so.12 is missing')"
    (package / "__init__.py").write_text(source, encoding="utf-8")
    monkeypatch.syspath_prepend(str(package.parent))


def sentences(done: Done) -> list[str]:
    return [problem["sentence"] for problem in done.report["problems"]]


def test_a_machine_that_can_judge(judge: Judge) -> None:
    pytest.importorskip("llama_cpp")
    entry = cached(JUDGELM, JUDGELM_Q4, MODEL)
    started_s = time.monotonic()
    done = judge("doctor", COLUMNS="80")
    assert time.monotonic() - started_s < 5  # 1 s on a quiet machine
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("ready to judge ")
    assert "llama-cpp-python 0." in row(done.out, "engine")
    assert "judgelm-7b:Q4_K_M" in done.out
    assert "not hashed yet" in row(done.out, "models")
    assert str(entry.parents[3]) in row(done.out, "hub cache")
    assert row(done.out, "default").startswith("judgelm-7b here")


def test_json_is_one_object_with_stable_keys(judge: Judge, no_network: list[object]) -> None:
    cached(JUDGELM, JUDGELM_Q4, MODEL)
    done = judge("doctor", "--format", "json", "--verify")
    report = done.report
    assert report.keys() == KEYS
    (model,) = [model for model in report["models"] if model["name"].startswith("judgelm")]
    assert (model["integrity"], model["size_bytes"], model["damage"]) == ("intact", len(MODEL), None)
    assert report["default_judge"] == {
        "name": "judgelm-7b",
        "named_by": None,
        "is_here": True,
        "absence": None,
    }
    assert report["memory"]["total_bytes"] > 0
    assert report["cores"] >= 1
    assert report["can_judge"] is (done.code == 0)
    assert no_network == []


def test_llama_cpp_that_does_not_load_is_a_problem_and_the_rest_prints(
    judge: Judge, no_llama_cpp: None
) -> None:
    cached(JUDGELM, JUDGELM_Q4, MODEL)
    done = judge("doctor")
    assert done.code == 4
    assert done.sentence.startswith("judging is not possible as things are")
    assert done.out.startswith("not ready to judge: ")
    assert "does not load" in row(done.out, "engine")
    assert "judgelm-7b:Q4_K_M" in row(done.out, "models")
    assert "GB" in row(done.out, "memory")
    told = " ".join(done.out.split())
    assert "llama-cpp-python does not load (Failed to load libllama.so: libcudart.so.12 is missing)" in told


def test_json_has_the_same_keys_where_nothing_loads(judge: Judge, no_llama_cpp: None) -> None:
    done = judge("doctor", "--format", "json")
    assert done.code == 4
    assert done.report.keys() == KEYS
    assert done.report["engine"].keys() == diagnosis_object(diagnosed())["engine"].keys()
    assert done.report["engine"]["gpu_offload"] is None
    assert done.report["can_judge"] is False


@pytest.mark.parametrize("arguments", [(), ("--verify",)])
def test_a_damaged_model_ends_with_4(judge: Judge, arguments: tuple[str, ...]) -> None:
    entry = cached(JUDGELM, JUDGELM_Q4, MODEL)
    entry.resolve().write_bytes(MODEL[:-1])
    done = judge("doctor", *arguments)
    assert done.code == 4
    assert "judgelm-7b:Q4_K_M" in row(done.out, "models")
    assert "damaged" in row(done.out, "models")
    assert "judge models rm judgelm-7b:Q4_K_M --yes && judge pull judgelm-7b:Q4_K_M" in done.out


def test_verify_finds_other_bytes_of_the_same_size(judge: Judge) -> None:
    pytest.importorskip("llama_cpp")
    entry = cached(JUDGELM, JUDGELM_Q4, MODEL)
    entry.resolve().write_bytes(MODEL[:-1] + b"\x01")
    assert judge("doctor").code == 0
    done = judge("doctor", "--verify", "--format", "json")
    assert done.code == 4
    assert any("judgelm-7b:Q4_K_M is damaged" in sentence for sentence in sentences(done))


@pytest.mark.skipif(sys.platform == "win32", reason="a shell script")
def test_a_gpu_that_this_build_cannot_use(judge: Judge, tmp_path: Path) -> None:
    report = judge("doctor", "--format", "json", PATH=program(tmp_path, 'echo "NVIDIA L4"')).report
    assert {"vendor": "NVIDIA", "name": "NVIDIA L4", "has_driver": True} in report["system_gpus"]
    if report["engine"]["backends"] != ["CPU"]:
        pytest.skip("llama.cpp is built for a GPU here")
    assert REINSTALL in [problem["command"] for problem in report["problems"]]


@pytest.mark.skipif(sys.platform == "win32", reason="a shell script")
def test_an_nvidia_smi_that_hangs_is_not_waited_for(judge: Judge, tmp_path: Path) -> None:
    started_s = time.monotonic()
    done = judge("doctor", "--format", "json", PATH=program(tmp_path, "sleep 60"))
    assert time.monotonic() - started_s < NVIDIA_SMI_TIMEOUT_S + 5
    assert done.report["nvidia_smi"] == "hung"
    assert any("nvidia-smi does not answer" in sentence for sentence in sentences(done))


def test_where_the_default_judge_is_named(judge: Judge, folder: Path) -> None:
    defaults = folder / "judge.toml"
    defaults.write_text('model = "qwen3-4b"\n', encoding="utf-8")
    named = judge("doctor", "--format", "json").report["default_judge"]
    assert (named["name"], named["named_by"], named["is_here"]) == ("qwen3-4b", str(defaults), False)
    named = judge("doctor", "--format", "json", JUDGE_MODEL="nothing").report["default_judge"]
    assert (named["name"], named["named_by"]) == ("nothing", "JUDGE_MODEL")
    assert "no known model" in named["absence"]


def test_a_file_of_defaults_without_a_model_names_none(judge: Judge, folder: Path) -> None:
    (folder / "judge.toml").write_text("min-mass = 0.4\n", encoding="utf-8")
    named = judge("doctor", "--format", "json").report["default_judge"]
    assert (named["name"], named["named_by"]) == ("judgelm-7b", None)


def test_without_a_home_and_in_plain_ascii(judge_process: Judge, monkeypatch: pytest.MonkeyPatch) -> None:
    cached(JUDGELM, JUDGELM_Q4, MODEL)
    for name in ("HOME", "HF_HOME", "HF_HUB_CACHE", "JUDGE_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    done = judge_process("doctor", COLUMNS="80", **ASCII_ONLY)
    assert "Traceback" not in done.err
    assert done.out.isascii()
    assert "hub cache" in done.out


BROKEN: list[dict[str, Any]] = [
    {},
    {
        "engine": make_engine(backends=("CUDA", "CPU"), devices=(CUDA,), gpu_offload=True),
        "gpus": make_gpus("NVIDIA L4", "NVIDIA L4"),
    },
    {"gpus": make_gpus("NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition")},
    {
        "engine": make_engine(error="ImportError: something went very wrong", cpu_features=(), devices=()),
        "models": (),
        "default": DefaultJudge(name="judgelm-7b", absence="not in the cache"),
    },
    {
        "models": (make_model(integrity=Integrity.DAMAGED, damage="/hub/a b.gguf: cut off"), make_model("x")),
        "hub_cache": make_folder("/a/very/long/path/that/no/terminal/has/the/room/for", is_writable=False),
        "cores": Cores(n=64, quota=1.5),
        "default": DefaultJudge(
            name="scripted:judge.jsonl", source="/some/where/far/away/judge.toml", backend="scripted"
        ),
    },
]


@pytest.mark.parametrize("found", BROKEN)
@pytest.mark.parametrize("width", [40, 80])
def test_only_paths_and_commands_are_wider_than_the_terminal(found: dict[str, Any], width: int) -> None:
    lines = list(diagnosis_lines(diagnosed(**found), width, color=False))
    wide = [line for line in lines if len(line) > width]
    assert all(is_path_or_command(line) for line in wide), wide
    assert all(line == line.rstrip() for line in lines)
    assert "\n".join(lines).isascii()


def is_path_or_command(line: str) -> bool:
    if line.startswith(("    CMAKE_ARGS=", "    pip ", "    judge ")):
        return True
    return line.removeprefix("hub cache").strip().removeprefix("named by ").startswith("/")


@pytest.mark.parametrize("found", BROKEN)
def test_json_of_every_finding_is_strict(found: dict[str, Any]) -> None:
    report = strict_json(json.dumps(diagnosis_object(diagnosed(**found)), allow_nan=False))
    assert report.keys() == KEYS
    for problem in report["problems"]:
        assert problem.keys() == {"sentence", "command", "blocks_judging"}
        assert "\n" not in problem["sentence"]


def test_problems_come_last_with_the_command_on_a_line_of_its_own() -> None:
    lines = text(diagnosed(gpus=make_gpus("NVIDIA L4"))).splitlines()
    assert lines[0] == "ready to judge on the CPU; 1 problem, at the end"
    assert lines[-3:] == [
        "! this machine has an NVIDIA GPU (NVIDIA L4), but this build of llama.cpp cannot",
        "  use it: reinstall with",
        f"    {REINSTALL}",
    ]


@pytest.mark.parametrize(
    ("found", "headline"),
    [
        ({}, "ready to judge on the CPU"),
        ({"engine": make_engine(devices=(CUDA,), gpu_offload=True)}, "ready to judge on CUDA0"),
        (
            {"models": (), "default": DefaultJudge(name="judgelm-7b", absence="not here")},
            "ready to judge on the CPU once a judge model is here; 1 problem, at the end",
        ),
        ({"engine": make_engine(error="gone")}, "not ready to judge: 1 problem, at the end"),
    ],
)
def test_the_headline(found: dict[str, Any], headline: str) -> None:
    assert text(diagnosed(**found)).splitlines()[0] == headline


def test_what_the_report_says_of_the_engine() -> None:
    told = text(
        diagnosed(engine=make_engine(repacks_weights=False, repacking="with AMX it ends the process"))
    )
    assert row(told, "offload") == "none: this build judges on the CPU"
    assert row(told, "uses") == "AVX, AVX2, F16C, FMA"
    assert row(told, "weights") == "not repacked: with AMX it ends the process"
    assert row(told, "devices") == "CPU: Some Processor"
    told = text(diagnosed(engine=make_engine(devices=(CUDA,), gpu_offload=True)))
    assert row(told, "devices") == "CUDA0: NVIDIA L4, 24.0 GB, 22.0 GB free"
    assert row(told, "offload") == "layers can go to a GPU"


def test_names_from_the_system_cannot_write_escape_codes() -> None:
    told = text(diagnosed(gpus=make_gpus("evil\x1b[31m GPU"), python_path="/a\nb"))
    assert "\x1b" not in told
    assert "/a\\nb" in told


def styles(lines: Iterable[str]) -> bool:
    return any("\x1b[" in line for line in lines)


def test_escape_codes_are_written_in_colour_only() -> None:
    diagnosis = diagnosed(gpus=make_gpus("NVIDIA L4"))
    assert styles(diagnosis_lines(diagnosis, 80, color=True))
    assert not styles(diagnosis_lines(diagnosis, 80, color=False))


def test_colour_is_asked_for_like_everywhere(judge: Judge) -> None:
    assert styles([judge("doctor", FORCE_COLOR="1").out])
    assert not styles([judge("doctor", FORCE_COLOR="1", NO_COLOR="1").out])


def test_help_for_80_columns(judge: Judge) -> None:
    done = judge("doctor", "--help", COLUMNS="80")
    assert done.code == 0
    assert max(map(len, done.out.splitlines())) <= 80
    assert "--verify" in done.out
    assert "doctor" in judge("--help").out


def test_the_made_up_findings_are_healthy() -> None:
    findings: Findings = make_findings()
    assert list(find_problems(findings)) == []
