"""A diagnosis as lines for people: reads at 40 columns and up; only paths and commands may be longer."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

import typer

import judgecli
from judgecli.cli.console import printable
from judgecli.diagnosis import DefaultJudge, Diagnosis, EndpointState, Findings, Problem
from judgecli.registry import human_size
from judgecli.registry.condition import FolderState, ModelState
from judgecli.reports.terminal import fill
from judgecli.types.installation import Device

_MIN_WIDTH = 30
_LABEL = 13
# parts of the build, not of the CPU
_NO_FEATURES = {"LLAMAFILE", "OPENMP", "REPACK", "ACCELERATE", "KLEIDIAI"}

# a label, and what stands beside it: lines as they are, and phrases to fill lines with
Row = tuple[str, Sequence[str | Sequence[str]]]


def diagnosis_lines(diagnosis: Diagnosis, width: int, *, color: bool) -> Iterator[str]:
    """Yield the report: a headline, what was found, the problems last."""
    width = max(width, _MIN_WIDTH)

    def styled(text: str, **style: str | bool) -> str:
        return typer.style(text, **style) if color else text  # type: ignore[arg-type]

    for line in fill([_headline(diagnosis)], width):
        yield styled(line, bold=True)
    for section in _sections(diagnosis.findings):
        yield ""
        for row in section:
            for label, line in _row_lines(row, width):
                yield styled(label.ljust(_LABEL), fg="cyan") + line
    if diagnosis.problems:
        yield ""
    for problem in diagnosis.problems:
        for line in _problem_lines(problem, width):
            yield styled(line, fg="red" if problem.blocks_judging else "yellow")


def _headline(diagnosis: Diagnosis) -> str:
    n = len(diagnosis.problems)
    problems = f"{n} problem{'s' if n > 1 else ''}, at the end"
    if not diagnosis.can_judge:
        return f"not ready to judge: {problems}"
    gpus = diagnosis.findings.engine.gpus
    where = f"on {', '.join(gpu.name for gpu in gpus)}" if gpus else "on the CPU"
    ready = f"ready to judge {where}"
    if not diagnosis.findings.models and diagnosis.findings.default.absence is not None:
        ready = f"ready to judge {where} once a judge model is here"
    return f"{ready}; {problems}" if n else ready


def _row_lines(row: Row, width: int) -> Iterator[tuple[str, str]]:
    label, blocks = row
    for block in blocks:
        lines = (
            [block]
            if isinstance(block, str)
            else fill([phrase for phrase in block if phrase], width - _LABEL)
        )
        for line in lines:
            yield label, printable(line)
            label = ""


def _problem_lines(problem: Problem, width: int) -> Iterator[str]:
    sentence = textwrap.wrap(
        printable(problem.sentence), width - 2, break_long_words=False, break_on_hyphens=False
    )
    for index, line in enumerate(sentence):
        yield f"  {line}" if index else f"! {line}"
    if problem.command:
        yield f"    {printable(problem.command)}"


def _sections(found: Findings) -> Iterator[list[Row]]:
    yield [
        ("judgecli", [[judgecli.__version__, found.python, found.platform], found.python_path]),
        *_engine_rows(found),
    ]
    yield _machine_rows(found)
    yield [
        ("hub cache", [str(found.hub_cache.path), _folder_phrases(found.hub_cache)]),
        ("own cache", [str(found.judge_cache.path), _folder_phrases(found.judge_cache)]),
    ]
    yield _model_rows(found)


def _engine_rows(found: Findings) -> Iterator[Row]:
    engine = found.engine
    package = f"llama-cpp-python {engine.llama_cpp_python or 'not installed'}"
    if engine.error is not None:
        yield "engine", [[package, *(["does not load"] if engine.llama_cpp_python else [])]]
        return
    yield "engine", [[package, f"llama.cpp {engine.llama_cpp or 'of unknown version'}"]]
    offload = "layers can go to a GPU" if engine.gpu_offload else "none: this build judges on the CPU"
    if not engine.gpu_offload and set(engine.backends) - {"CPU", "BLAS"}:
        offload = "none: no GPU is seen"
    yield "offload", [[offload]]
    yield "backends", [engine.backends]
    for label, device in zip(_labels("devices"), engine.devices, strict=False):
        yield label, [_device_phrases(device)]


def _device_phrases(device: Device) -> list[str]:
    phrases = [f"{device.name}: {device.description}"]
    if device.is_gpu and device.total_bytes is not None and device.free_bytes is not None:
        phrases += [human_size(device.total_bytes), f"{human_size(device.free_bytes)} free"]
    return phrases


def _machine_rows(found: Findings) -> list[Row]:
    cores, memory, engine = found.cores, found.memory, found.engine
    counted = f"{cores.n} core{'s' if cores.n > 1 else ''}"
    quota = f"a container's share of {cores.quota:.3g}" if cores.quota is not None else ""
    features = [name.replace("_", " ") for name in engine.cpu_features if name not in _NO_FEATURES]
    rows: list[Row] = [("cpu", [[counted, quota]])]
    if engine.error is None:
        rows.append(("uses", [features or ["nothing beyond the plain instructions"]]))
        repacked = "repacked" if engine.repacks_weights else "not repacked"
        rows.append(("weights", [[f"{repacked}: {engine.repacking}" if engine.repacking else repacked]]))
    total = "unknown size" if memory.total_bytes is None else human_size(memory.total_bytes)
    limited = " (a container's limit)" if memory.is_container else ""
    available = "" if memory.free_bytes is None else f"{human_size(memory.free_bytes)} available"
    rows.append(("memory", [[f"{total}{limited}", available]]))
    gpus = [gpu.name for gpu in found.gpus.gpus]
    rows.append(("GPUs", [gpus or ["none found in this machine"]]))
    return rows


def _folder_phrases(folder: FolderState) -> list[str]:
    writable = "can be written" if folder.is_writable else "cannot be written"
    free = "" if folder.free_bytes is None else f"{human_size(folder.free_bytes)} free"
    return [writable if folder.exists else f"not there yet, {writable}", free]


def _model_rows(found: Findings) -> list[Row]:
    rows: list[Row] = [
        (label, [[model.name, human_size(model.size_bytes), _integrity(model)]])
        for label, model in zip(_labels("models"), found.models, strict=False)
    ]
    demo = "installed, judges at chance" if found.has_demo else "not installed (pip install 'judgecli[demo]')"
    return [
        *(rows or [("models", [["cannot be looked at" if found.unreadable else "none here"]])]),
        ("demo", [[demo]]),
        ("default", _default_blocks(found.default)),
        ("endpoints", _endpoint_blocks(found.endpoint)),
    ]


def _endpoint_blocks(state: EndpointState) -> list[str | list[str]]:
    if state.client is None:
        return [["openai package not installed (pip install 'judgecli[openai]')"]]
    client = f"openai {state.client}"
    if state.base_url is None:
        return [[client, state.problem or "no address"]]
    return [[client, "OPENAI_API_KEY is set" if state.has_key else "no OPENAI_API_KEY"], state.base_url]


def _default_blocks(default: DefaultJudge) -> list[str | list[str]]:
    if default.model is not None:
        state = "here" if default.model.integrity is None else f"here, {_integrity(default.model)}"
    elif default.backend is not None:
        state = f"backend {default.backend}"
    else:
        state = "not here"
    if default.source is None:
        return [default.name, [state, "judgecli's own choice"]]
    return [default.name, [state], f"named by {default.source}"]


def _integrity(model: ModelState) -> str:
    if model.integrity is None:
        return "not hashed yet, see --verify"
    return str(model.integrity)


def _labels(first: str) -> Iterator[str]:
    yield first
    while True:
        yield ""
