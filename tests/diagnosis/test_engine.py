import signal
import sys
from pathlib import Path

import pytest

from judgecli.diagnosis import engine
from judgecli.diagnosis.engine import finish_engine_check, start_engine_check
from judgecli.types.installation import DeviceKind, Installation


@pytest.fixture
def llama_cpp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The source of a package llama_cpp that is found before the real one."""
    folder = tmp_path / "places" / "llama_cpp"
    folder.mkdir(parents=True)
    monkeypatch.syspath_prepend(str(folder.parent))
    return folder / "__init__.py"


def checked() -> Installation:
    return finish_engine_check(start_engine_check())


def test_an_engine_that_loads_says_what_it_can_do() -> None:
    pytest.importorskip("llama_cpp")
    found = checked()
    assert found.error is None
    assert found.llama_cpp_python is not None
    assert "CPU" in found.backends
    assert DeviceKind.CPU in {device.kind for device in found.devices}
    assert isinstance(found.gpu_offload, bool)
    assert found.repacking


@pytest.mark.parametrize(
    ("source", "error"),
    [
        ("raise ImportError('no library here')", "no library here"),
        ("raise RuntimeError('undefined symbol: llama_new')", "undefined symbol: llama_new"),
        ("raise AttributeError('something else')", "AttributeError: something else"),
        ("import sys; sys.exit(5)", "its process ends with code 5"),
        ("print('noise'); import sys; sys.exit(0)", "its process ends with code 0"),
    ],
)
def test_one_that_does_not_load_says_why(llama_cpp: Path, source: str, error: str) -> None:
    llama_cpp.write_text(source, encoding="utf-8")
    found = checked()
    assert (found.error, found.backends, found.gpu_offload) == (error, (), None)


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize(
    ("number", "error"),
    [
        (signal.SIGILL, "it uses an instruction that this CPU has not"),
        (signal.SIGSEGV, "it ends the process with SIGSEGV"),
    ],
)
def test_one_that_crashes_takes_only_its_own_process(
    llama_cpp: Path, number: signal.Signals, error: str
) -> None:
    llama_cpp.write_text(f"import os; os.kill(os.getpid(), {int(number)})", encoding="utf-8")
    assert checked().error == error


def test_one_that_hangs_is_given_up_on(llama_cpp: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "ENGINE_TIMEOUT_S", 1.0)
    llama_cpp.write_text("import time; time.sleep(60)", encoding="utf-8")
    assert checked().error == "it does not answer within 1 s"


def test_without_python_it_cannot_be_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/no/python")
    assert checked().error == "/no/python cannot be started to try it"
