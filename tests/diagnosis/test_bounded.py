import sys
import time
from pathlib import Path

import pytest

from judgecli.diagnosis.bounded import BoundedProcess, Ended


def python(code: str, timeout_s: float = 10.0) -> BoundedProcess:
    return BoundedProcess([sys.executable, "-c", code], timeout_s=timeout_s)


def test_a_program_that_ends_leaves_its_code_and_what_it_wrote() -> None:
    ended = python("import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)").finish()
    assert ended == Ended(code=3, out="out\n", err="err\n")


def test_a_program_that_hangs_is_given_up_on() -> None:
    started_s = time.monotonic()
    assert python("import time; time.sleep(60)", timeout_s=0.2).finish() is None
    assert time.monotonic() - started_s < 5


@pytest.mark.skipif(sys.platform == "win32", reason="a shell script")
def test_so_is_one_whose_child_holds_the_pipes(tmp_path: Path) -> None:
    script = tmp_path / "hangs"
    script.write_text("#!/bin/sh\nsleep 60\necho late\n", encoding="utf-8")
    script.chmod(0o755)
    started_s = time.monotonic()
    assert BoundedProcess([str(script)], timeout_s=0.2).finish() is None
    assert time.monotonic() - started_s < 5


def test_a_program_that_is_not_there_is_an_error_at_once() -> None:
    with pytest.raises(OSError, match="no-such-program"):
        BoundedProcess(["/no-such-program"], timeout_s=1)
