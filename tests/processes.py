"""`judge` in processes that begin with everything imported: a start takes milliseconds, not a second."""

import ctypes
import importlib
import io
import multiprocessing
import os
import pkgutil
import resource
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import MappingProxyType
from typing import Any, TextIO

import pytest

import judgecli
from tests.judging import Done

STREAMS = ("stdin", "stdout", "stderr")


def import_all() -> None:
    """Import what `judge` imports sooner or later; llama.cpp is not among it."""
    for module in pkgutil.walk_packages(judgecli.__path__, "judgecli."):
        if module.name.rpartition(".")[2] != "__main__":
            importlib.import_module(module.name)
    import pydantic.type_adapter  # noqa: F401 - Typer's, for each option
    import typer._adapters  # noqa: F401


if __name__ != "__main__" and os.environ.get("JUDGECLI_TESTS_FORKING"):
    import_all()  # in the process that the others are forked off


@cache
def _context() -> multiprocessing.context.ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([__name__])
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JUDGECLI_TESTS_FORKING", "1")
        patch.setenv("PYTHONPATH", str(Path(__file__).parents[1]))  # the server knows no sys.path of ours
        first = context.Process(target=os.getpid)
        first.start()
        first.join()
    return context


def start_judge(
    folder: Path,
    *arguments: object,
    streams: Mapping[str, str] = MappingProxyType({}),
    is_almighty: bool = True,
    max_file_bytes: int = resource.RLIM_INFINITY,
    **environment: str | None,
) -> BaseProcess:
    """Start `judge` in a folder, with its output in stdout.txt and stderr.txt there.

    `streams` says otherwise of some: a file's name, "closed", or "broken" for a pipe that nobody reads.
    Without `is_almighty` even root is bound by permissions. A variable that is None is not there.
    No file can be made longer than `max_file_bytes`.
    """
    for name in STREAMS[1:]:
        (folder / f"{name}.txt").touch()
        (folder / f"{name}.txt").chmod(0o666)
    words = tuple(map(str, arguments))
    variables = {name: value for name, value in {**os.environ, **environment}.items() if value is not None}
    told = (folder, words, dict(streams), variables, is_almighty, max_file_bytes)
    process = _context().Process(target=_judge, args=told)
    process.start()
    return process


def done_judge(folder: Path, *arguments: object, **how: Any) -> Done:
    """Run `judge` to its end; takes what `start_judge` takes."""
    process = start_judge(folder, *arguments, **how)
    process.join(60)
    if process.is_alive():
        process.kill()
    assert process.exitcode is not None, "it hangs"
    out, err = ((folder / f"{name}.txt").read_text(encoding="utf-8") for name in STREAMS[1:])
    return Done(process.exitcode, out, err)


def shell(line: str) -> tuple[int, str, str]:
    """Run a line of bash, and return the exit code of the first command of a pipe, stdout and stderr."""
    result = subprocess.run(
        ["bash", "-c", f"{line}; exit ${{PIPESTATUS[0]}}"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return result.returncode, result.stdout, result.stderr


def _judge(
    folder: Path,
    arguments: tuple[str, ...],
    streams: dict[str, str],
    environment: dict[str, str],
    is_almighty: bool,
    max_file_bytes: int,
) -> None:
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for number, name in enumerate(STREAMS):
        own = os.devnull if number == 0 else f"{name}.txt"
        if number:
            os.truncate(own, 0)
        setattr(sys, name, _stream(number, streams.get(name, own)))
    if not is_almighty:
        _drop_capabilities()
    resource.setrlimit(resource.RLIMIT_FSIZE, (max_file_bytes, max_file_bytes))
    sys.argv = ["judge", *arguments]
    from judgecli.cli import main

    main()


def _drop_capabilities() -> None:
    """Be bound by permissions, as root is not: drop what capset(2) sets, in this process."""
    if os.geteuid() == 0:
        header, nothing = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
        assert ctypes.CDLL(None).capset(header, nothing) == 0


def _stream(number: int, place: str) -> TextIO | None:
    """Open a standard stream as the interpreter would at its start."""
    if place == "closed":
        os.close(number)
        return None
    if place == "broken":
        reader, descriptor = os.pipe()
        os.close(reader)
    else:
        descriptor = os.open(place, os.O_RDONLY if number == 0 else os.O_WRONLY)
    os.dup2(descriptor, number)
    os.close(descriptor)
    raw = os.fdopen(number, "rb" if number == 0 else "wb", closefd=False)
    encoding = os.environ.get("PYTHONIOENCODING", "utf-8")
    return io.TextIOWrapper(raw, encoding=encoding, line_buffering=number == 2)
