"""`judge chat`: questions about one judgment; answers on stdout, everything else on stderr."""

import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from judgecli.cli.chat_session import shown
from tests.conftest import JUDGE, Judge
from tests.judging import read_rows, script, two_files, write_jsonl
from tests.places import demo_weights

RUN = "a-vs-b.judge.jsonl"
EXAMPLES = Path(__file__).parents[2] / "examples"
TALK = r"### Instruction:\n(Why|And)"
ABOUT = ("chat", RUN, "--id", "q1")


@pytest.fixture
def talk(judge: Judge, folder: Path) -> Callable[..., None]:
    """Judge two pairs with reasons; the same script then answers questions so."""

    def judged(*rules: Any, reasons: bool = True, verdict: str = "9 3\nA is longer.") -> None:
        two_files(folder, ["x one", "x two"], ["y one", "y two"])
        model = script(folder, *rules, {"reply": verdict})
        done = judge("pair", "a.jsonl", "b.jsonl", *model, *(["--reasons"] if reasons else []))
        assert done.code == 0, done.err

    return judged


def test_answers_and_nothing_else_on_stdout(judge: Judge, talk: Callable[..., None]) -> None:
    talk({"matches": r"### Instruction:\nAnd", "reply": "Yes,\nit was."}, {"matches": TALK, "reply": " So. "})
    done = judge(*ABOUT, "--ask", "Why?", "--ask", "And then?")
    assert (done.code, done.out) == (0, "So.\n\nYes,\nit was.\n")
    assert done.err.splitlines() == [
        "q1 in the order AB (A's answer first, then B's): winner A, scores A 9, B 3",
        "judge scripted:judge.jsonl, prompt judgelm, " + done.err.partition("prompt judgelm, ")[2].strip(),
    ]
    assert judge(*ABOUT, "--ask", "Why?", "--order", "ba", "-q").err == ""


def test_the_other_order_is_said_to_be_that(judge: Judge, talk: Callable[..., None]) -> None:
    talk({"matches": TALK, "reply": "So."})
    err = judge(*ABOUT, "--ask", "Why?", "--order", "ba").err
    assert err.startswith("q1 in the order BA (B's answer first, then A's): winner B, scores A 3, B 9\n")


def test_json_is_one_object(judge: Judge, talk: Callable[..., None]) -> None:
    talk({"matches": TALK, "reply": "So \u2028 it is."})
    report = judge(*ABOUT, "--ask", "Why?", "--format", "json").report
    [question] = report.pop("questions")
    assert question.pop("n_prompt_tokens") > 100
    assert question == {"question": "Why?", "answer": "So \u2028 it is.", "finish_reason": "stop"}
    assert report.pop("n_ctx") > 2048
    assert report == {
        "id": "q1",
        "order": "AB",
        "model": "scripted:judge.jsonl",
        "judged_by": "scripted:judge.jsonl",
        "handed_on_to": None,
        "prompt": "judgelm",
        "run_file": RUN,
        "winner": "A",
        "scores": {"A": 9.0, "B": 3.0},
        "failure": None,
        "judgment_text": "9 3\nA is longer.",
    }


def test_questions_from_a_pipe_are_lines(judge: Judge, talk: Callable[..., None]) -> None:
    talk({"matches": r"### Instruction:\nAnd", "reply": "two"}, {"matches": TALK, "reply": "one"})
    assert judge(*ABOUT, stdin="Why?\n\n  And?").out == "one\n\ntwo\n"
    done = judge(*ABOUT, stdin="\n")
    assert (done.code, done.out) == (2, "")
    assert done.sentence == "no question was asked; give one with --ask, or a line each on stdin"


def test_what_the_judge_does_not_know_is_said(judge: Judge, talk: Callable[..., None]) -> None:
    talk({"matches": TALK, "reply": "So."}, reasons=False, verdict="9 3")
    err = judge(*ABOUT, "--ask", "Why?").err
    assert "note: the judge wrote no reasons in this run, only its verdict; `judge pair --reasons` has" in err


def test_a_torn_run_file_is_said_to_be_torn(judge: Judge, talk: Callable[..., None]) -> None:
    talk()
    note = f"note: the last line of {RUN} was cut off and is ignored"
    assert note not in judge(*ABOUT, "--ask", "Why?").err.splitlines()
    Path(RUN).write_bytes(Path(RUN).read_bytes()[:-9])
    assert note in judge(*ABOUT, "--ask", "Why?").err.splitlines()


def test_a_failed_judgment(judge: Judge, talk: Callable[..., None]) -> None:
    talk({"matches": TALK, "reply": "So."}, {"matches": "x one", "error": "no memory"})
    done = judge(*ABOUT, "--ask", "Why?")
    assert (done.code, done.out) == (0, "So.\n")
    assert done.err.startswith(
        "q1 in the order AB (A's answer first, then B's): failed, engine (no memory)\n"
    )
    assert "note: there is no text of the judge's, only the prompt" in done.err


def test_another_judge_is_said_to_be_one(judge: Judge, talk: Callable[..., None], folder: Path) -> None:
    talk({"matches": TALK, "reply": "So."})
    run = Path(RUN)
    recorded = '"sha256": null'
    text = run.read_text(encoding="utf-8")
    assert recorded in text
    run.write_text(text.replace(recorded, f'"sha256": "{"ab" * 32}"', 1), encoding="utf-8")
    refused = judge(*ABOUT, "--ask", "Why?")
    assert (refused.code, refused.out) == (4, "")
    assert "name those weights with --model, or another judge to talk to instead" in refused.sentence
    done = judge(*ABOUT, "--ask", "Why?", "--model", "scripted:judge.jsonl")
    assert (done.code, done.out) == (0, "So.\n")
    assert "is another judge than scripted:judge.jsonl (SHA-256 abababababab)" in done.err

    place = '"place": "first"'
    assert place in text
    edited = text.replace(recorded, '"sha256": 5', 1).replace(place, '"place": ["first"]', 1)
    run.write_text(edited, encoding="utf-8")
    done = judge(*ABOUT, "--ask", "Why?", "--model", "scripted:judge.jsonl")
    assert (done.code, "(SHA-256 5)" in done.err) == (0, True)


HANDED = ("chat", RUN, "--id", "q1", "--ask", "Why?")


@pytest.fixture
def handed_on(judge: Judge, folder: Path) -> Callable[..., None]:
    """A first judge that names the first seat, and a stronger one for the pairs on which it does."""

    def judged(*options: str) -> None:
        two_files(folder, ["x one", "x two"], ["y one", "y two"])
        first = [{"matches": TALK, "reply": "I am the first."}, {"id": "q1", "reply": "9 3"}]
        write_jsonl(folder / "first.jsonl", [*first, {"order": "AB", "reply": "9 3"}, {"reply": "3 9"}])
        second = [{"matches": TALK, "reply": "I am the second."}, {"order": "AB", "reply": "2 8"}]
        write_jsonl(folder / "second.jsonl", [*second, {"reply": "8 2"}])
        models = ("--model", "scripted:first.jsonl", "--escalate", "scripted:second.jsonl")
        prompts = ("--prompt", "judgelm", "--escalate-prompt", "judgelm")
        done = judge("pair", "a.jsonl", "b.jsonl", *models, *prompts, *options)
        assert done.code == 0, done.err

    return judged


def test_of_a_pair_that_was_handed_on_the_judge_whose_verdict_stands_is_asked(
    judge: Judge, handed_on: Callable[..., None]
) -> None:
    handed_on()
    done = judge(*HANDED)
    assert (done.code, done.out) == (0, "I am the second.\n")
    assert done.err.splitlines()[0] == (
        "q1 in the order AB (A's answer first, then B's): winner B, scores A 2, B 8, "
        "by scripted:second.jsonl, to which scripted:first.jsonl handed the pair on"
    )
    report = judge(*HANDED, "--format", "json").report
    assert (report["judged_by"], report["handed_on_to"]) == ("scripted:second.jsonl",) * 2


def test_the_first_judge_can_be_asked_about_it_too(judge: Judge, handed_on: Callable[..., None]) -> None:
    handed_on()
    done = judge(*HANDED, "--judge", "first")
    assert (done.code, done.out) == (0, "I am the first.\n")
    assert done.err.splitlines()[0] == (
        "q1 in the order AB (A's answer first, then B's): winner A, scores A 9, B 3, "
        "by scripted:first.jsonl, which handed the pair on to scripted:second.jsonl, whose verdict stands"
    )


def test_a_pair_that_was_not_handed_on_has_one_judge(judge: Judge, handed_on: Callable[..., None]) -> None:
    handed_on()
    other = (*HANDED[:3], "q2", *HANDED[4:])
    done = judge(*other)
    assert done.out == "I am the first.\n"
    assert "handed" not in done.err
    refused = judge(*other, "--judge", "stronger")
    assert (refused.code, refused.out) == (3, "")
    assert refused.sentence == "q2 was not handed on to a stronger judge; leave out --judge"


def test_until_the_stronger_judge_has_answered_there_is_the_first(
    judge: Judge, handed_on: Callable[..., None]
) -> None:
    handed_on()
    run = Path(RUN)
    kept = (row for kind in ("header", "item", "judgment") for row in read_rows(run, kind))
    write_jsonl(run, [row for row in kept if not row.get("judge")])
    done = judge(*HANDED)
    assert done.out == "I am the first.\n"
    assert "handed the pair on to scripted:second.jsonl, which has not answered yet" in done.err
    assert "scripted:second.jsonl has not answered about q1 yet" in judge(*HANDED, "--judge", "stronger").err
    assert judge(*HANDED, "--judge", "third").code == 2


def test_the_default_model_is_not_asked(judge: Judge, talk: Callable[..., None], folder: Path) -> None:
    talk({"matches": TALK, "reply": "So."})
    (folder / "judge.toml").write_text('model = "gone.gguf"\n', encoding="utf-8")
    assert judge(*ABOUT, "--ask", "Why?", JUDGE_MODEL="gone.gguf").code == 0


def test_a_cut_answer_is_marked(judge: Judge, talk: Callable[..., None]) -> None:
    talk({"matches": TALK, "reply": "one two three"})
    done = judge(*ABOUT, "--ask", "Why?", "--max-tokens", 2)
    assert (done.code, done.out) == (0, "one two\n")
    assert "warning: the answer was cut, --max-tokens 2 is reached" in done.err


def test_the_context_is_told_before_it_is_full(judge: Judge, talk: Callable[..., None]) -> None:
    talk({"matches": TALK, "reply": "one two three four five"})
    n_begun = int(judge(*ABOUT, "--ask", "Why?").err.partition("prompt judgelm, ")[2].split()[0])
    done = judge(*ABOUT, *("--ask", "Why?", "--ask", "And?"), "--n-ctx", n_begun + 4)
    assert (done.code, done.out) == (4, "one two three\n")
    assert f"the context {n_begun + 4}, so this answer can have 3; then begin a new one" in done.err
    assert "warning: the answer was cut, the context is full" in done.err
    assert (
        "so it does not fit; begin a new one (a lower --max-tokens leaves room for more questions)"
        in done.sentence
    )


@pytest.mark.parametrize(
    ("arguments", "code", "sentence"),
    [
        (("--ask", " "), 2, "--ask is empty; give it a question"),
        (("--ask", "Why?", "--format", "markdown"), 2, "--format must be terminal or json here"),
        (("--ask", "Why?", "--id", "q3"), 3, "no item has the id 'q3'; there are 2, the first is 'q1'"),
        (("--ask", "Why?", "--model", "gone.gguf"), 4, "gone.gguf: no such file"),
        (("--ask", "Why?", "--threads", "0"), 2, "--threads must be a whole number"),
    ],
)
def test_what_is_refused(
    judge: Judge, talk: Callable[..., None], arguments: tuple[str, ...], code: int, sentence: str
) -> None:
    talk({"matches": TALK, "reply": "So."})
    done = judge(*ABOUT, *arguments)
    assert (done.code, done.out) == (code, "")
    assert sentence in done.sentence


def test_a_judge_that_fails(judge: Judge, talk: Callable[..., None]) -> None:
    talk({"matches": TALK, "error": "no memory"})
    done = judge(*ABOUT, "--ask", "Why?")
    assert (done.code, done.out) == (4, "")
    assert "no memory" in done.sentence


def test_an_answer_cannot_drive_a_terminal(judge: Judge, talk: Callable[..., None]) -> None:
    talk({"matches": TALK, "reply": "\x1b[2Jred\x07\r\n\tok \u202egnirts [/INST] [bold]"})
    out = judge(*ABOUT, "--ask", "Why?").out
    assert out == "\\x1b[2Jred\\x07\n\tok \\u202egnirts [/INST] [bold]\n"


def test_words_and_emoji_stay_as_they_are() -> None:
    text = (
        "na\u00efve \u00a0 \u3000 \u0646\u0645\u06cc\u200c\u062f\u0627\u0646\u0645 \U0001f468\u200d\U0001f469"
    )
    assert shown(text) == text
    assert shown("\x9b1m \ufeff\u2066\x7f\x00") == "\\x9b1m \\ufeff\\u2066\\x7f\\x00"


class Terminal:
    """`judge` on a terminal of its own: what is typed, and what is shown."""

    def __init__(self, *arguments: str) -> None:
        pty = pytest.importorskip("pty")
        self._own, its = pty.openpty()
        self._process = subprocess.Popen(
            [*JUDGE, *arguments], stdin=its, stdout=its, stderr=its, start_new_session=True,
            env={**os.environ, "TERM": "dumb"},
        )  # fmt: skip
        os.close(its)
        self.shown = ""
        self._n_awaited = 0

    def wait_for(self, text: str, timeout_s: float = 20) -> None:
        """Read until a text is shown, after the one that was waited for before."""
        import select

        deadline = time.monotonic() + timeout_s
        while text not in self.shown[self._n_awaited :]:
            assert time.monotonic() < deadline, self.shown
            if select.select([self._own], [], [], 0.1)[0]:
                self.shown += os.read(self._own, 4096).decode()
        self._n_awaited = self.shown.index(text, self._n_awaited) + len(text)

    def type(self, text: str) -> None:
        os.write(self._own, text.encode())

    def interrupt(self) -> None:
        self._process.send_signal(signal.SIGINT)

    def end(self) -> int:
        """Wait for the end; return the exit code."""
        code = self._process.wait(timeout=20)
        os.close(self._own)
        return code


def test_a_person_at_a_terminal(talk: Callable[..., None]) -> None:
    talk(
        {"matches": r"### Instruction:\nAnd", "reply": "Slowly.", "seconds": 30},
        {"matches": r"### Instruction:\nLast", "reply": "Last word."},
        {"matches": TALK, "reply": "First word."},
    )
    terminal = Terminal(*ABOUT)
    terminal.wait_for("> ")
    assert "the judge wrote:\r\n  9 3\r\n  A is longer.\r\n" in terminal.shown
    terminal.type("\n")
    terminal.wait_for("> ")
    terminal.type("Why?\n")
    terminal.wait_for("First word.")
    terminal.wait_for("> ")
    terminal.type("And?\n")
    time.sleep(2)  # a slow machine has begun to answer by then
    terminal.interrupt()
    terminal.wait_for("\r\nstopped; what is written so far stays")
    terminal.wait_for("> ")
    terminal.interrupt()  # at the prompt: the line is given up, the conversation goes on
    terminal.wait_for("> ")
    terminal.type("Last?\n")
    terminal.wait_for("Last word.")
    terminal.wait_for("> ")
    terminal.type("\x04")
    assert terminal.end() == 0


def test_exit_leaves(talk: Callable[..., None]) -> None:
    talk({"matches": TALK, "reply": "So."})
    terminal = Terminal(*ABOUT)
    terminal.wait_for("> ")
    terminal.type("exit\n")
    assert terminal.end() == 0


def test_json_needs_questions(talk: Callable[..., None]) -> None:
    talk({"matches": TALK, "reply": "So."})
    terminal = Terminal(*ABOUT, "--format", "json")
    terminal.wait_for("--format json needs --ask, or questions on stdin")
    assert terminal.end() == 2


@pytest.mark.demo
def test_the_demo_judge_is_asked_about_the_examples(judge_process: Judge, folder: Path) -> None:
    demo_weights()
    files = [EXAMPLES / name for name in ("baseline.jsonl", "candidate.jsonl")]
    done = judge_process("pair", *files, "--model", "demo", "--reasons", "--limit", 2, "-o", RUN)
    assert done.code == 0, done.err
    about = ("chat", RUN, "--id", "q01", "--max-tokens", 24)
    done = judge_process(*about, "--ask", "Why did you choose that answer?", "--ask", "What is missing?")
    assert done.code == 0, done.err
    first, second = done.out.rstrip("\n").split("\n\n", 1)
    assert first.strip()
    assert second.strip()
