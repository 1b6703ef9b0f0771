"""`--cache` and `judge cache`, on a real llama.cpp with a LLaMA of random weights, in real processes."""

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from judgecli.cache import FILE_NAME, AskedJudge, CompletionCache
from tests.conftest import JUDGE, Judge
from tests.decoding import needs_llama_cpp
from tests.judging import Done, answers, last_rows, script, strict_json, two_files, write_jsonl
from tests.processes import done_judge
from tests.random_models import write_llama

pytestmark = needs_llama_cpp
N_PAIRS = 3
PAIR = ("pair", "a.jsonl", "b.jsonl", "--prompt", "judgelm", "--min-mass", 0, "--threads", 1)
CACHED = (*PAIR, "--cache-dir", "store")


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_llama(tmp_path_factory.mktemp("weights") / "random.gguf", n_layers=1, n_embd=64)


@pytest.fixture(autouse=True)
def inputs(folder: Path) -> None:
    two_files(folder, [f"a {n}" for n in range(N_PAIRS)], [f"b {n}" for n in range(N_PAIRS)])


def other_answer(n: int) -> None:
    texts = [f"b {k}" if k != n else "b has thought again" for k in range(N_PAIRS)]
    write_jsonl(Path("b.jsonl"), answers(*texts))


def from_cache(done: Done) -> str:
    """Return what was said of the cache, before the judging began."""
    [line] = [line for line in done.err.splitlines() if line.endswith(" from the cache")]
    return line


def test_after_one_answer_changed_its_pair_is_judged_and_no_other(judge: Judge, weights: Path) -> None:
    first = judge(*CACHED, "--model", weights, "-o", "first.jsonl")
    assert from_cache(first) == "0 of 6 judgments from the cache"
    other_answer(1)
    second = judge(*CACHED, "--model", weights, "-o", "second.jsonl")
    assert from_cache(second) == "4 of 6 judgments from the cache"
    rows = last_rows(Path("second.jsonl"))
    assert {key for key, row in rows.items() if not row["cached"]} == {("q2", "AB"), ("q2", "BA")}
    alone = judge(*PAIR, "--model", weights, "-o", "alone.jsonl")
    assert " from the cache" not in alone.err
    judged = {key: {**row, "cached": False} for key, row in rows.items()}
    assert judged == last_rows(Path("alone.jsonl"))  # to the last bit
    assert "3 comparisons (6 judgments, 4 from the cache)" in second.out
    said = second.out.replace("second.jsonl", "alone.jsonl").replace(", 4 from the cache", "")
    assert said == alone.out


def test_where_all_is_served_no_weights_are_loaded(
    judge: Judge, weights: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge(*CACHED, "--model", weights, "-o", "first.jsonl")
    monkeypatch.setattr(
        "judgecli.backends.llama_cpp.open_backend", lambda *_a, **_k: pytest.fail("weights were loaded")
    )
    done = judge(*CACHED, "--model", weights, "-o", "second.jsonl", "--format", "json")
    assert done.code == 0
    assert from_cache(done) == "6 of 6 judgments from the cache"


@pytest.mark.parametrize("more", [("--aspect", "safety"), ("--n-ubatch", 64)])
def test_asked_otherwise_it_is_asked_anew(judge: Judge, weights: Path, more: tuple[str, ...]) -> None:
    judge(*CACHED, "--model", weights, "--limit", 1)
    done = judge(*CACHED, "--model", weights, "--limit", 1, "-o", "other.jsonl", *more)
    assert from_cache(done) == "0 of 2 judgments from the cache"


def test_other_weights_are_asked_anew_whatever_they_are_called(
    judge: Judge, weights: Path, folder: Path
) -> None:
    one = folder / "judge.gguf"
    one.write_bytes(weights.read_bytes())
    judge(*CACHED, "--model", one, "--limit", 1)
    renamed = one.rename(folder / "renamed.gguf")
    done = judge(*CACHED, "--model", renamed, "--limit", 1, "-o", "renamed.jsonl")
    assert from_cache(done) == "2 of 2 judgments from the cache"
    write_llama(one, n_layers=1, n_embd=64, seed=1)
    done = judge(*CACHED, "--model", one, "--limit", 1, "-o", "other.jsonl")
    assert from_cache(done) == "0 of 2 judgments from the cache"


def test_the_order_of_rows_and_one_order_only(judge: Judge, weights: Path) -> None:
    judge(*CACHED, "--model", weights)
    for name in ("a", "b"):
        rows = answers(*(f"{name} {n}" for n in range(N_PAIRS)))
        write_jsonl(Path(f"{name}.jsonl"), reversed(rows))
    done = judge(*CACHED, "--model", weights, "--orders", "ab", "-o", "other.jsonl")
    assert from_cache(done) == "3 of 3 judgments from the cache"


@pytest.mark.parametrize(
    "command",
    [
        ("grade", "a.jsonl", "--reference", "refs.jsonl"),
        ("rank", "a.jsonl", "b.jsonl", "c.jsonl"),
        ("agree", "pairs.jsonl"),
    ],
)
def test_the_other_commands_have_it(judge: Judge, weights: Path, command: tuple[str, ...]) -> None:
    write_jsonl(Path("refs.jsonl"), [{"id": f"q{n}", "reference": "the best"} for n in range(1, N_PAIRS + 1)])
    write_jsonl(Path("c.jsonl"), answers(*(f"c {n}" for n in range(N_PAIRS))))
    labelled = [
        {"id": f"q{n}", "question": "Which?", "answer_a": f"a {n}", "answer_b": f"b {n}", "winner": "A"}
        for n in range(N_PAIRS)
    ]
    write_jsonl(Path("pairs.jsonl"), labelled)
    for out in ("first.jsonl", "second.jsonl"):
        done = judge(
            *command,
            *("--model", weights, *CACHED[3:], "-o", out),
        )
        assert done.code == 0, done.err
    n = len(last_rows(Path("second.jsonl")))
    assert from_cache(done) == f"{n} of {n} judgments from the cache"


class TestChoosing:
    """Off unless it is asked for; a folder named asks for it, and --no-cache wins."""

    @pytest.mark.parametrize(
        ("toml", "options", "place"),
        [
            ("", (), None),
            ("", ("--cache",), "own"),
            ("", ("--cache-dir", "named"), "named"),
            ("", ("--cache-dir", "named", "--no-cache"), None),
            ("cache = true", (), "own"),
            ("cache = true", ("--no-cache",), None),
            ("cache = false", (), None),
            ('cache-dir = "named"', (), "named"),
            ('cache-dir = "named"', ("--no-cache",), None),
            ('cache-dir = "named"', ("--cache-dir", "other"), "other"),
        ],
    )
    @pytest.mark.filterwarnings("ignore:--cache. scripted.judge.jsonl is asked anew")
    def test_by_options_and_defaults(
        self, judge: Judge, folder: Path, toml: str, options: tuple[str, ...], place: str | None
    ) -> None:
        Path("judge.toml").write_text(toml, encoding="utf-8")
        scripted = script(folder, "8 6")
        done = judge("pair", "a.jsonl", "b.jsonl", *scripted, *options, JUDGE_CACHE_DIR="own")
        assert done.code == 0
        found = [path.parent.name for path in Path().glob(f"*/{FILE_NAME}")]
        assert found == ([] if place is None else [place])

    @pytest.mark.parametrize("command", [PAIR, ("cache", "info"), ("cache", "clear")])
    def test_no_folder_at_all(self, judge: Judge, weights: Path, command: tuple[object, ...]) -> None:
        model = ("--model", weights) if command is PAIR else ()
        done = judge(*command, *model, "--cache-dir", "")
        assert (done.code, done.sentence) == (2, "--cache-dir must name a folder, not ''; or leave it out")

    @pytest.mark.parametrize("command", [PAIR, ("cache", "info"), ("cache", "clear")])
    def test_a_home_that_there_is_not(self, judge: Judge, weights: Path, command: tuple[object, ...]) -> None:
        model = ("--model", weights) if command is PAIR else ()
        done = judge(*command, *model, "--cache-dir", "~no-such-user/x")
        said = "there is no home folder ~no-such-user; write ./~no-such-user for a folder of that name"
        assert (done.code, done.sentence) == (2, f"--cache-dir: {said}")
        assert not list(Path().glob("~*"))
        assert judge("cache", "info", "--cache-dir", "./~no-such-user").code == 0

    def test_a_default_that_is_no_folder(self, judge: Judge) -> None:
        Path("judge.toml").write_text('cache-dir = ""\n', encoding="utf-8")
        assert judge("cache", "info").code == 2
        assert judge("cache", "info", "--cache-dir", "store").code == 0


def test_a_file_holds_no_cache(judge: Judge) -> None:
    for command in (("cache", "info"), ("cache", "clear")):
        done = judge(*command, "--cache-dir", "a.jsonl")
        assert (done.code, done.sentence) == (2, "--cache-dir a.jsonl: this is a file; name a folder")


def test_a_dry_run_counts_what_is_there(judge: Judge, weights: Path) -> None:
    dry = (*CACHED, "--model", weights, "--dry-run")
    assert judge(*dry, "--format", "json").report["judgments_cached"] == 0
    assert not Path("store").exists()
    judge(*CACHED, "--model", weights, "--limit", 2, "-o", "first.jsonl")
    report = judge(*dry, "--format", "json").report
    assert (report["judgments_open"], report["judgments_cached"]) == (6, 4)
    assert 0 < report["tokens_to_evaluate"] < report["prompt_tokens"]
    assert "judgments    6, 6 of them still to make, 4 of these from the cache\n" in judge(*dry).out
    judge(*CACHED, "--model", weights, "-o", "first.jsonl", "--fresh")
    report = judge(*dry, "--format", "json").report
    assert (report["tokens_to_evaluate"], report["estimated_s"]) == (0, None)


def test_a_scripted_judge_is_not_kept(judge_process: Judge, folder: Path) -> None:
    done = judge_process("pair", "a.jsonl", "b.jsonl", *script(folder, "8 6"), "--cache-dir", "store")
    assert done.code == 0
    why = "neither weights nor an address say what it is"
    assert f"warning: --cache: scripted:judge.jsonl is asked anew, {why}\n" in done.err
    assert " from the cache" not in done.err


def test_two_processes_at_once(weights: Path, folder: Path) -> None:
    """Both write the same cache; each run is whole, and the third one asks nothing."""
    two_files(folder, [f"a {n}" for n in range(6)], [f"b {n}" for n in range(6)])
    options = (*CACHED, "--model", weights, "-o")
    processes = [
        subprocess.Popen([*JUDGE, *map(str, (*options, f"{n}.jsonl"))], stderr=subprocess.PIPE, text=True)
        for n in range(2)
    ]
    for process in processes:
        _, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        assert "warning" not in err
    first, second = (last_rows(Path(f"{n}.jsonl")) for n in range(2))
    assert {key: {**row, "cached": None} for key, row in first.items()} == {
        key: {**row, "cached": None} for key, row in second.items()
    }
    with CompletionCache(Path("store")) as cache:
        assert cache.info().n_entries == 12
    done = done_judge(folder, *options, "third.jsonl")
    assert from_cache(done) == "12 of 12 judgments from the cache"


class TestTrouble:
    """A warning, and a run as without a cache."""

    def check(self, done: Done, said: str) -> None:
        assert done.code == 0, done.err
        [line] = [line for line in done.err.splitlines() if line.startswith("warning: ")]
        assert said in line
        assert line.startswith("warning: going on without a cache: ")
        assert len(last_rows(Path("run.jsonl"))) == 2 * N_PAIRS

    def run(self, folder: Path, weights: Path, **how: Any) -> Done:
        return done_judge(folder, *CACHED, "--model", weights, "-o", "run.jsonl", **how)

    def test_a_damaged_file(self, folder: Path, weights: Path) -> None:
        Path("store").mkdir()
        (Path("store") / FILE_NAME).write_bytes(b"damaged" * 1_000)
        self.check(
            self.run(folder, weights), "the cache is damaged (file is not a database); remove the file"
        )

    def test_another_program_s_file(self, folder: Path, weights: Path) -> None:
        import sqlite3

        Path("store").mkdir()
        with sqlite3.connect(Path("store") / FILE_NAME) as other:
            other.execute("CREATE TABLE theirs (x)")
        other.close()
        self.check(self.run(folder, weights), "this is no cache of judgecli; name another folder")

    @pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions")
    def test_a_read_only_folder(self, folder: Path, weights: Path) -> None:
        Path("store").mkdir(mode=0o555)
        done = self.run(folder, weights, is_almighty=False)
        self.check(done, "the cache cannot be written (unable to open database file); name another folder")

    @pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions")
    def test_a_file_that_may_only_be_read(self, folder: Path, weights: Path) -> None:
        CompletionCache(Path("store")).close()
        (Path("store") / FILE_NAME).chmod(0o444)
        done = self.run(folder, weights, is_almighty=False)
        self.check(done, "no permission to write the cache; name another folder")


class TestInfoAndClear:
    def test_where_there_is_none(self, judge: Judge) -> None:
        own = Path("own") / FILE_NAME
        done = judge("cache", "info", JUDGE_CACHE_DIR="own")
        assert (done.code, done.out) == (0, f"{own}: 0 judgments, 0 B of 1.00 GB at most\n")
        report = judge("cache", "info", "--format", "json", "--cache-dir", "store").report
        assert report == {
            "path": f"store/{FILE_NAME}",
            "entries": 0,
            "size_bytes": 0,
            "max_bytes": 1_000_000_000,
            "judges": [],
        }
        done = judge("cache", "clear", JUDGE_CACHE_DIR="own")
        assert (done.code, done.err) == (0, f"removed 0 of 0 judgments (0 B) from {own}\n")
        assert not own.parent.exists()

    def test_what_is_there_by_judge(self, judge: Judge, weights: Path) -> None:
        judge(*CACHED, "--model", weights)
        found = strict_json(judge("cache", "info", "--cache-dir", "store", "--format", "json").out)
        assert found["entries"] == 6
        assert found["size_bytes"] >= (Path("store") / FILE_NAME).stat().st_size
        [one] = found["judges"]
        header = json.loads(Path("a-vs-b.judge.jsonl").read_text(encoding="utf-8").split("\n")[0])
        assert (one["name"], one["entries"]) == (str(weights), 6)
        assert one["weights"] == header["model"]["sha256"]
        text = judge("cache", "info", "--cache-dir", "store").out
        assert one["weights"][:12] in text
        assert one["last_used"] in text

    def test_clearing(self, judge: Judge, weights: Path) -> None:
        judge(*CACHED, "--model", weights, "--limit", 1)
        done = judge("cache", "clear", "--older-than", 30, "--cache-dir", "store")
        assert done.err.startswith("removed 0 of 2 judgments (0 B) from ")
        done = judge("cache", "clear", "--cache-dir", "store")
        assert done.err.startswith("removed 2 of 2 judgments (")
        done = judge(*CACHED, "--model", weights, "--limit", 1, "-o", "other.jsonl")
        assert from_cache(done) == "0 of 2 judgments from the cache"

    @pytest.mark.parametrize("days", [36_501, 10**23, -1])
    def test_days_that_no_cache_has(self, judge: Judge, days: int) -> None:
        with CompletionCache(Path("store")):
            pass
        done = judge("cache", "clear", "--cache-dir", "store", f"--older-than={days}")
        assert (done.code, done.out) == (2, "")
        assert "--older-than" in done.err.splitlines()[-1]
        assert judge("cache", "clear", "--cache-dir", "store", "--older-than", 36_500).code == 0

    def test_damaged_values(self, judge: Judge) -> None:
        import sqlite3

        with CompletionCache(Path("store")) as cache:
            cache.keep(b"k" * 32, AskedJudge(name="made-up", identity="f" * 64, settings=()), "said")
        with sqlite3.connect(Path("store") / FILE_NAME) as other:
            other.execute("UPDATE completions SET used_on = 'abc'")
        other.close()
        where = ("--cache-dir", "store")
        for command in (("info",), ("info", "--format", "json"), ("clear", "--older-than", 3)):
            done = judge("cache", *command, *where)
            assert (done.code, done.out) == (3, "")
            assert done.sentence.endswith("'abc'); empty it with `judge cache clear`")
        assert judge("cache", "clear", *where).err.startswith("removed 1 of 1 judgments (")
        assert judge("cache", "info", *where, "--format", "json").report["entries"] == 0

    def test_the_folder_that_runs_here_use(self, judge: Judge, weights: Path) -> None:
        Path("judge.toml").write_text('cache-dir = "store"\nformat = "markdown"\n', encoding="utf-8")
        judge(*PAIR, "--model", weights, "--limit", 1)
        assert judge("cache", "info").out.startswith(f"store/{FILE_NAME}: 2 judgments, ")

    def test_a_damaged_file_is_said_to_be_one(self, judge: Judge) -> None:
        Path("store").mkdir()
        path = Path("store") / FILE_NAME
        path.write_bytes(b"damaged" * 1_000)
        for command in ("info", "clear"):
            done = judge("cache", command, "--cache-dir", "store")
            assert done.code == 3
            assert done.sentence == f"{path}: the cache is damaged (file is not a database); remove the file"
        assert path.read_bytes() == b"damaged" * 1_000


def test_a_kill_loses_nothing_that_was_said(folder: Path, weights: Path) -> None:
    """What a killed run has in its run file is in the cache, and there for another run file."""
    two_files(folder, [f"a {n}" for n in range(10)], [f"b {n} " + "word " * 40 for n in range(10)])
    options = (*CACHED, "--model", weights, "-o")
    process = subprocess.Popen([*JUDGE, *map(str, (*options, "killed.jsonl"))], stderr=subprocess.DEVNULL)
    run = Path("killed.jsonl")
    while process.poll() is None and (not run.exists() or run.read_bytes().count(b'"judgment"') < 3):
        time.sleep(0.01)
    process.kill()
    process.wait()
    n_rows = run.read_bytes().rpartition(b"\n")[0].count(b'"row": "judgment"')
    done = done_judge(folder, *options, "whole.jsonl")
    assert done.code == 0
    n_served = int(from_cache(done).split()[0])
    assert n_served >= n_rows >= 3
    assert len(last_rows(Path("whole.jsonl"))) == 20


def test_an_own_cache_from_python(weights: Path, folder: Path) -> None:
    import judgecli

    for out in ("first.jsonl", "second.jsonl"):
        result = judgecli.pair(
            "a.jsonl", "b.jsonl", model=str(weights), prompt="judgelm", min_mass=0, cache="store", out=out
        )
    assert {one.cached for one in result.record.judgments.values()} == {True}
