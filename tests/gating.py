"""Two models' answers to 80 questions for the merge gate, and a scripted judge that can tell them apart."""

from pathlib import Path
from typing import Any

from tests.judging import JUDGELM, write_jsonl

N = 80
RUN = Path("a-vs-b.judge.jsonl")
COMMAND = ("pair", "a.jsonl", "b.jsonl", "--model", "scripted:rules.jsonl", *JUDGELM)


def whole(seat: int) -> str:
    """A pattern for an answer that is about its own question and has its end."""
    about = f"Question (?P<n{seat}>\\d+)\\?.*Assistant {seat}'s Answer\\]\\s*(?:GOOD )?Answer (?P=n{seat}):"
    return f"{about}[^\\[]*END\\.\\s*\\[The End of Assistant {seat}"


BOTH = f"(?={whole(1)})(?={whole(2)})"
KNOWS = [
    {"matches": BOTH + r".*Assistant 1's Answer\]\s*GOOD", "reply": "9 5\n"},
    {"matches": BOTH + r".*Assistant 2's Answer\]\s*GOOD", "reply": "5 9\n"},
    {"matches": BOTH, "reply": "7 7\n"},
    {"matches": whole(1), "reply": "9 2\n"},
    {"matches": whole(2), "reply": "2 9\n"},
    {"reply": "3 3\n"},
]


def text(n: int, *, good: bool) -> str:
    words = " ".join(f"word{k}" for k in range(10 + n % 7))
    return f"{'GOOD ' if good else ''}Answer {n}: {words} END."


def inputs(folder: Path, good_a: range, good_b: range, rules: list[Any] = KNOWS, **more: Any) -> None:
    """Write two models' answers, some of them good, and the judge that tells them apart."""
    for name, good in (("a", good_a), ("b", good_b)):
        rows = [
            {
                "id": f"q{n}",
                "question": f"Question {n}?",
                "answer": text(n, good=n in good),
                "category": "even" if n % 2 == 0 else "odd",
                "group": str(n // 4),
            }
            for n in range(N)
            if n not in more.get(f"missing_{name}", ())
        ]
        write_jsonl(folder / f"{name}.jsonl", rows)
    write_jsonl(folder / "rules.jsonl", rules)


BETTER, WORSE, EQUAL = (range(0), range(N)), (range(N), range(0)), (range(0), range(0))
