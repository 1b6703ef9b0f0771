"""What every test may rely on: no home, no caches but its own, no colours or defaults of the developer's."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import pytest
from typer.testing import CliRunner

from judgecli.cli import app
from tests.judging import Done

# A shell that starts the tests in the background has them, and what they start, ignore interrupts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

_PERSONAL = (
    "JUDGE_MODEL",
    "HF_TOKEN",
    "HUGGING_FACE_HUB_TOKEN",
    "HF_ENDPOINT",
    "HF_HUB_OFFLINE",
    "HF_HUB_CACHE",
    "HUGGINGFACE_HUB_CACHE",
    "XDG_CACHE_HOME",
    "NO_COLOR",
    "FORCE_COLOR",
    "GITHUB_ACTIONS",
    "COLUMNS",
    "TERM",
)


class Judge(Protocol):
    """Runs `judge` with these arguments and environment variables."""

    def __call__(self, *arguments: object, stdin: str = "", **environment: str) -> Done: ...


@pytest.fixture(scope="session", autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """An empty home for the whole session, and none of the developer's own settings."""
    folder = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        for name in _PERSONAL:
            patch.delenv(name, raising=False)
        patch.setenv("HOME", str(folder))
        patch.setenv("HF_HOME", str(folder / "hf"))
        patch.setenv("JUDGE_CACHE_DIR", str(folder / "judgecli"))
        yield folder


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def judge(folder: Path) -> Judge:
    """`judge` in this process: quick, for all that does not need real streams and signals."""

    def run(*arguments: object, stdin: str = "", **environment: str) -> Done:
        result = CliRunner().invoke(app, list(map(str, arguments)), input=stdin, env=environment)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Done(result.exit_code, result.stdout, result.stderr)

    return run


@pytest.fixture
def judge_process(folder: Path) -> Judge:
    """`judge` as a process of its own, in the current folder."""

    def run(*arguments: object, stdin: str = "", **environment: str) -> Done:
        result = subprocess.run(
            [*JUDGE, *map(str, arguments)],
            input=stdin.encode(),
            capture_output=True,
            env={**os.environ, **environment},
            timeout=60,
            check=False,
        )
        return Done(result.returncode, result.stdout.decode(), result.stderr.decode())

    return run


JUDGE = (sys.executable, "-m", "judgecli")
