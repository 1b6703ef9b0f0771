"""What holds of every command: streams that are closed, full or not read, and poor environments."""

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.test_grade import PLAIN, RUBRIC
from tests.judging import Done, answers, prefers, script, write_jsonl
from tests.labelling import sure_verdicts, votes, write_labels
from tests.processes import done_judge

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="forks")
WINNERS = "AB" * 30
FAMILY = ("--prompt", "plain.toml", "--rubric", "rubric.toml")
COMMANDS = {
    "pair": ("pair", "a.jsonl", "b.jsonl", "MODEL", "--fresh"),
    "cascade": ("pair", "a.jsonl", "b.jsonl", "MODEL", "--escalate", "scripted:judge.jsonl", "--fresh"),
    "grade": ("grade", "a.jsonl", "--model", "scripted:three.jsonl", *FAMILY, "--fresh"),
    "rank": ("rank", "a.jsonl", "b.jsonl", "c.jsonl", "MODEL", "--fresh"),
    "agree": ("agree", "verdicts.jsonl", "labels.jsonl"),
    "validate": ("validate", "verdicts.jsonl", "annotators.jsonl"),
    "calibrate": ("calibrate", "verdicts.jsonl", "labels.jsonl", "-o", "cal.json"),
    "report": ("report", "old.judge.jsonl"),
    "inspect": ("inspect", "a.jsonl"),
    "diff": ("diff", "old.judge.jsonl", "older.judge.jsonl"),
    "prompt show": ("prompt", "show", "a.jsonl", "b.jsonl", "MODEL"),
    "prompt ls": ("prompt", "ls"),
    "models ls": ("models", "ls"),
    "models show": ("models", "show", "judgelm-7b"),
    "cache info": ("cache", "info"),
    "cache info as JSON": ("cache", "info", "--format", "json"),
    "power": ("power", "200"),
    "doctor": ("doctor",),
    "help": ("--help",),
    "help of a command": ("pair", "--help"),
    "version": ("--version",),
}
REPORTING = {"pair", "cascade", "grade", "rank", "agree", "validate", "calibrate", "report"}
AS_IT_IS = {"prompt show"}  # a pipe gets the prompt's own bytes
every_command = pytest.mark.parametrize("name", COMMANDS)
Run = Callable[..., Done]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with input for every command, and a run of earlier."""
    folder = tmp_path_factory.mktemp("every")
    for name, texts in {"a": ("GOOD é", "poor"), "b": ("bad", "GOOD"), "c": ("awful 東", "x")}.items():
        write_jsonl(folder / f"{name}.jsonl", answers(*texts))
    (folder / "plain.toml").write_text(PLAIN, encoding="utf-8")
    (folder / "rubric.toml").write_text(RUBRIC, encoding="utf-8")
    write_jsonl(folder / "verdicts.jsonl", sure_verdicts(WINNERS, wrong=range(1, 60, 20)))
    write_labels(folder, votes(WINNERS), "labels.jsonl")
    write_labels(folder, votes(WINNERS, WINNERS, WINNERS), "annotators.jsonl")
    script(folder, *prefers("GOOD"))
    script(folder, "3", name="three.jsonl")
    for name in ("old", "older"):
        done = done_judge(folder, *words("pair"), "--out", f"{name}.judge.jsonl")
        assert done.code == 0, done.err
    return folder


def with_model(command: tuple[str, ...]) -> list[str]:
    model = ("--model", "scripted:judge.jsonl", "--prompt", "judgelm")
    return [word for part in command for word in (model if part == "MODEL" else (part,))]


def words(name: str) -> list[str]:
    return with_model(COMMANDS[name])


@pytest.fixture
def run(place: Path, name: str) -> Run:
    """The command of a test, with streams and environment as told."""
    return lambda *more, **how: done_judge(place, *words(name), *more, **how)


@every_command
def test_no_escape_code_reaches_a_file(run: Run) -> None:
    done = run(FORCE_COLOR="0", GITHUB_ACTIONS="true")
    assert done.code == 0, done.err
    assert done.out
    assert "\x1b" not in done.out + done.err


@every_command
def test_a_poor_terminal_of_forty_columns(run: Run, name: str) -> None:
    done = run(NO_COLOR="1", TERM="dumb", COLUMNS="40")
    assert done.code == 0, done.err
    assert "\x1b" not in done.out + done.err
    if name in REPORTING:
        assert max(map(len, done.out.splitlines())) <= 40


@every_command
def test_a_reader_that_has_enough_ends_it_quietly(run: Run, name: str) -> None:
    done = run(streams={"stdout": "broken"})
    assert "Traceback" not in done.err
    assert "judge: " not in done.err
    if not name.startswith("help"):  # Typer writes it
        assert done.code == 0


@every_command
def test_a_closed_or_unread_stderr_changes_nothing(run: Run) -> None:
    for place in ("closed", "broken"):
        done = run(streams={"stderr": place})
        assert (done.code, done.err) == (0, "")
        assert done.out


@every_command
def test_a_closed_stdout_is_refused_in_one_sentence(run: Run) -> None:
    done = run(streams={"stdout": "closed", "stdin": "closed"})
    assert (done.code, done.out) == (6, "")
    assert done.err == "judge: stdout is closed, so the result cannot be written; redirect it to a file\n"


@every_command
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_under_stdout_is_one_sentence(run: Run) -> None:
    done = run(streams={"stdout": "/dev/full"})
    assert done.code == 6
    assert "cannot be written (No space left on device); free some space" in done.sentence


@every_command
def test_a_caller_with_no_home_no_path_and_nothing_but_ascii(run: Run, name: str) -> None:
    none = dict.fromkeys(("HOME", "HF_HOME", "JUDGE_CACHE_DIR", "PATH", "USER"))
    done = run(**none, LC_ALL="C", PYTHONUTF8="0", PYTHONIOENCODING="ascii")
    assert done.code == 0, done.err
    assert done.out
    assert (done.err if name in AS_IT_IS else done.out + done.err).isascii()


@pytest.fixture
def read_only(place: Path, tmp_path: Path) -> Path:
    """The same folder, in which no file can be made."""
    folder = tmp_path / "read-only"
    shutil.copytree(place, folder)
    for path in folder.iterdir():
        path.chmod(0o444)
    for made in folder.glob("[abc]*.judge.jsonl"):
        made.unlink()
    (folder / "cal.json").unlink(missing_ok=True)
    return folder


@every_command
def test_a_folder_that_may_only_be_read(read_only: Path, name: str) -> None:
    for stream in ("stdout.txt", "stderr.txt"):
        (read_only / stream).chmod(0o666)
    read_only.chmod(0o555)
    before = sorted(path.name for path in read_only.iterdir())
    done = done_judge(read_only, *words(name), is_almighty=False)
    assert sorted(path.name for path in read_only.iterdir()) == before
    read_only.chmod(0o755)
    if name in {"pair", "cascade", "grade", "rank", "calibrate"}:
        assert (done.code, done.out) == (6, "")
        assert "no permission to write" in done.sentence
        assert "--out" in done.sentence
    else:
        assert done.code == 0, done.err
        assert done.out


@pytest.mark.parametrize("name", ["doctor", "models ls"])
def test_a_model_cache_that_may_not_be_read(place: Path, tmp_path: Path, name: str) -> None:
    closed = tmp_path / "closed"
    (closed / "hub").mkdir(parents=True)
    closed.chmod(0)
    done = done_judge(place, *words(name), is_almighty=False, HF_HOME=str(closed))
    closed.chmod(0o755)
    assert done.code == 4
    assert done.sentence
    assert "cannot be read" in done.out + done.err


PATHS = {
    "answers": ("pair", "PATH", "b.jsonl", "MODEL"),
    "answers of several": ("rank", "a.jsonl", "b.jsonl", "PATH", "MODEL"),
    "answers alone": ("grade", "PATH", "MODEL"),
    "model": ("pair", "a.jsonl", "b.jsonl", "--model", "PATH"),
    "weights": ("pair", "a.jsonl", "b.jsonl", "--model", "PATH.gguf"),
    "script": ("pair", "a.jsonl", "b.jsonl", "--model", "scripted:PATH"),
    "prompt": ("pair", "a.jsonl", "b.jsonl", "--model", "scripted:judge.jsonl", "--prompt", "PATH"),
    "rubric": ("pair", "a.jsonl", "b.jsonl", "MODEL", "--rubric", "PATH"),
    "shots": ("pair", "a.jsonl", "b.jsonl", "MODEL", "--shots", "PATH"),
    "template": ("pair", "a.jsonl", "b.jsonl", "--model", "scripted:judge.jsonl", "--template", "PATH"),
    "reference": ("pair", "a.jsonl", "b.jsonl", "MODEL", "--reference", "PATH"),
    "questions": ("pair", "a.jsonl", "b.jsonl", "MODEL", "--questions", "PATH"),
    "calibration": ("pair", "a.jsonl", "b.jsonl", "MODEL", "--calibration", "PATH"),
    "stronger judge": ("pair", "a.jsonl", "b.jsonl", "MODEL", "--escalate", "PATH"),
    "its prompt": ("pair", "a.jsonl", "b.jsonl", "MODEL", "--escalate", "demo", "--escalate-prompt", "PATH"),
    "out": ("pair", "a.jsonl", "b.jsonl", "MODEL", "--out", "PATH"),
    "report": ("pair", "a.jsonl", "b.jsonl", "MODEL", "--report", "PATH.md"),
    "run": ("report", "PATH"),
    "report of a run": ("report", "old.judge.jsonl", "-r", "PATH.md"),
    "labels of a run": ("report", "old.judge.jsonl", "--labels", "PATH"),
    "verdicts": ("agree", "PATH", "labels.jsonl"),
    "labels": ("agree", "verdicts.jsonl", "PATH"),
    "validated": ("validate", "PATH", "labels.jsonl"),
    "annotators": ("validate", "verdicts.jsonl", "PATH"),
    "calibrated": ("calibrate", "PATH", "labels.jsonl", "-o", "cal.json"),
    "labels to fit": ("calibrate", "verdicts.jsonl", "PATH", "-o", "cal.json"),
    "fitted": ("calibrate", "verdicts.jsonl", "labels.jsonl", "-o", "PATH"),
    "shown": ("prompt", "show", "PATH", "b.jsonl", "MODEL"),
    "model to show": ("models", "show", "PATH"),
    "model to pull": ("pull", "PATH", "--yes"),
    "model to measure": ("bench", "--model", "PATH"),
    "run to talk about": ("chat", "PATH", "--id", "q1"),
}


@pytest.mark.parametrize(
    ("name", "path"),
    [(name, path) for n, name in enumerate(PATHS) for path in ("x" * 300, "closed/x")[: 1 + n % 2]],
    ids=lambda word: word[:20],
)
def test_a_path_that_no_file_can_have_is_one_sentence(place: Path, name: str, path: str) -> None:
    (place / "closed").mkdir(mode=0, exist_ok=True)
    told = [word.replace("PATH", path) for word in with_model(PATHS[name])]
    done = done_judge(place, *told, is_almighty=False)
    assert done.code in {2, 3, 4, 6}, done.err
    assert done.out == ""
    assert done.sentence


@pytest.mark.parametrize("name", ["grade", "rank"])
def test_names_that_windows_cannot_have(place: Path, tmp_path: Path, name: str) -> None:
    for path in place.iterdir():
        if path.suffix in {".jsonl", ".toml"} and path.is_file():
            shutil.copy(path, tmp_path)
    for odd in ("con.jsonl", "a:b.jsonl", "aux.jsonl"):
        shutil.copy(place / "a.jsonl", tmp_path / odd)
    renamed = {"a.jsonl": "con.jsonl", "b.jsonl": "a:b.jsonl", "c.jsonl": "aux.jsonl"}
    done = done_judge(tmp_path, *(renamed.get(word, word) for word in words(name)))
    assert done.code == 0, done.err
    made = {"grade": "_con.judge.jsonl", "rank": "con-vs-b-vs-aux.judge.jsonl"}[name]
    assert f"run file {made}" in done.err
    assert (tmp_path / made).is_file()
