"""Finding the verdict of a judge that gives its reasons first.

The reader of texts and the engine, which reads probabilities at the verdict's place, share this: it is the
last place where the family's pattern begins, thinking and invisible characters aside.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from judgecli.types.grammar import Grammar, LabelsGrammar, Reading, ReadingRule, ScoresGrammar, read_scores

VERDICT = "{verdict}"  # in a pattern
# characters that nobody sees and that a tokenizer or a pattern would
UNSEEN = r"\u00ad\u034f\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\u3164\ufe00-\ufe0f\ufeff\x00"
_HIDDEN = re.compile(
    rf"<(think|thinking)>.*?(?:</\1>|\Z)|\A(?:(?!<think(?:ing)?>).)*?</think(?:ing)?>|[{UNSEEN}]",
    re.DOTALL | re.IGNORECASE,
)
# All that belongs to one number is taken as one, so that of `3.5`, `4/10` or `1-5` no part is a score.
_NUMBER = r"(?<![\w.])(?>-?[0-9]+(?:[.,:\u2013-][0-9]+|[^\S\n]*/[^\S\n]*[0-9]+)*)(?![\w%])"
_ONE_OF_MANY = r"(?<![\w.])(?>-?[0-9]+(?:\.[0-9]+)?)(?![\w%])"
_SCORE = re.compile(r"(-?[0-9]+(?:\.[0-9]+)?)(?:\s*/\s*([0-9]+))?")
_ECHO_CHARACTERS = 20  # around a verdict that are also the prompt's: more than "So, the " and the like
_LINE_ENDS = re.compile("[\n\r]")


@dataclass(frozen=True, slots=True, kw_only=True)
class LastMatch:
    """The place of a verdict. `reading` is None where what stands there is none of the grammar.

    `start` is where the verdict begins in the text as it was written, with a blank before it where the
    grammar has one. `is_off_scale`: it is a number outside the scale. `matched` and `line` are the visible
    text of the place and its line; `is_distinct`: the pattern looks for more than the bare verdict.
    """

    start: int
    matched: str
    line: str
    reading: Reading | None
    is_off_scale: bool = False
    is_distinct: bool = False


def find_last(text: str, rule: ReadingRule, grammar: Grammar) -> LastMatch | None:
    """Return the last place where the rule's pattern begins, echoes of the prompt's own words skipped.

    None where it begins nowhere. A place that begins like a verdict and does not go on as one has no
    reading: what stood further up is not the judge's last word.
    """
    visible, offsets = _visible(text, rule.begun)
    before = rule.pattern.partition(VERDICT)[0]
    is_distinct = re.match(before, "") is None
    pattern = _compiled(rule.pattern, verdict_pattern(grammar))
    places = [match for match in pattern.finditer(visible) if match.end() > match.start()]
    for match in reversed(places):
        if not _is_echo(visible, match, rule.own_words):
            return _last_match(visible, offsets, match, grammar, is_distinct=is_distinct)
    return None


def locate_last(text: str, rule: ReadingRule, grammar: Grammar) -> int | None:
    """Return where the verdict begins in a text as it was written; None where there is none."""
    found = find_last(text, rule, grammar)
    return found.start if found is not None and found.reading is not None else None


def bare_text(text: str) -> str:
    """Return a text without what nobody sees: for comparing what a judge quotes with what it quotes."""
    return " ".join(re.sub(f"[{UNSEEN}]", "", text).split()).casefold()


def _visible(text: str, begun: str) -> tuple[str, list[int]]:
    """Return the text without thinking and invisible characters, and where each character of it stood."""
    whole, hidden = begun + text, set[int]()
    for match in _HIDDEN.finditer(whole):
        hidden.update(range(match.start(), match.end()))
    kept = [at for at in range(len(begun), len(whole)) if at not in hidden]
    return "".join(whole[at] for at in kept), [at - len(begun) for at in kept]


@lru_cache(maxsize=16)
def _compiled(pattern: str, verdict: str) -> re.Pattern[str]:
    before, _, after = pattern.partition(VERDICT)
    if re.compile(before).match(""):  # the bare verdict, or something like ^ before it
        found = f"(?:{before})(?P<verdict>{verdict})(?:{after})"
    else:
        found = f"(?:{before})(?:(?P<verdict>{verdict})(?:{after}))?"
    return re.compile(found, re.IGNORECASE | re.MULTILINE)


def verdict_pattern(grammar: Grammar) -> str:
    """Return a regular expression for a verdict: a label between word boundaries, or any number."""
    if isinstance(grammar, ScoresGrammar):
        if grammar.n == 1:
            return _NUMBER
        separator = _loose(grammar.separator)
        return separator.join([_ONE_OF_MANY] * grammar.n)
    labels = [label.strip() for label in grammar.labels] if isinstance(grammar, LabelsGrammar) else []
    one = "|".join(_bounded(label) for label in sorted(labels, key=len, reverse=True))
    # "Response 1 / Response 2" and "A or B" name no winner
    return rf"(?:{one})(?!\s*(?:[/,|&]|or\b|and\b)\s*(?:{one}))"


def _loose(separator: str) -> str:
    if not separator.strip():
        return r"(?:[^\S\n]*,[^\S\n]*|[^\S\n]+)"
    signs = re.findall(r"\w+|[^\w\s]", separator)
    return r"\s*" + r"\s*".join(map(re.escape, signs)) + r"\s*"


def _bounded(label: str) -> str:
    inner = r"\s+".join(map(re.escape, label.split()))
    before = r"(?<!\w)" if re.match(r"\w", label) else ""
    after = r"(?!\w)" if re.search(r"\w\Z", label) else ""
    return f"{before}{inner}{after}"


def _is_echo(visible: str, match: re.Match[str], own_words: str) -> bool:
    """Whether a match stands in a stretch of the prompt's own words, its instructions repeated.

    The judge may use those that lead to a verdict for its own; not those that follow it, or other verdicts.
    """
    n = _ECHO_CHARACTERS
    before = _one_line(visible[max(match.start() - 2 * n, 0) : match.start()])
    after = _one_line(visible[match.end() : match.end() + 2 * n])
    echoed = _one_line(match.group())
    if echoed not in own_words:
        return False
    n_before = _n_alike(len(before), lambda size: before[-size:] + echoed in own_words)
    echoed = before[len(before) - n_before :] + echoed
    n_after = _n_alike(len(after), lambda size: echoed + after[:size] in own_words)
    goes_on = n_after > 0 or len(match.re.findall(echoed)) > 1
    return n_before + n_after >= n and goes_on


def _n_alike(size: int, is_alike: Callable[[int], bool]) -> int:
    """Return the largest number up to `size` for which, and for all below which, something holds."""
    return next((n - 1 for n in range(1, size + 1) if not is_alike(n)), size)


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text).casefold()


def own_words(text: str) -> str:
    """Return a prompt's instructions as `ReadingRule.own_words` holds them."""
    return _one_line(text)


def _last_match(
    visible: str, offsets: list[int], match: re.Match[str], grammar: Grammar, *, is_distinct: bool
) -> LastMatch:
    verdict = match["verdict"]
    start = match.start("verdict") if verdict is not None else match.end()
    reading, is_off_scale = _read(verdict, grammar) if verdict is not None else (None, False)
    opening = _opening(grammar)
    if opening and visible[max(start - len(opening), 0) : start] == opening:
        start -= len(opening)
    first = max((end.end() for end in _LINE_ENDS.finditer(visible, 0, match.start())), default=0)
    last = _LINE_ENDS.search(visible, match.end())
    return LastMatch(
        start=offsets[start] if start < len(offsets) else 0,
        matched=match.group(),
        line=visible[first : last.start() if last else len(visible)].strip(),
        reading=reading,
        is_off_scale=is_off_scale,
        is_distinct=is_distinct,
    )


def _opening(grammar: Grammar) -> str:
    """Return the blank that every text of a grammar begins with; empty where there is none."""
    if isinstance(grammar, ScoresGrammar):
        return grammar.opening
    labels = grammar.labels if isinstance(grammar, LabelsGrammar) else {}
    return " " if labels and all(label.startswith(" ") for label in labels) else ""


def _read(verdict: str, grammar: Grammar) -> tuple[Reading | None, bool]:
    """Return what a verdict says, and whether it is a number outside the scale."""
    if isinstance(grammar, ScoresGrammar):
        return _read_scores(verdict, grammar)
    said = bare_text(verdict)
    return next((each for text, each in grammar.readings.items() if bare_text(text) == said), None), False


def _read_scores(verdict: str, grammar: ScoresGrammar) -> tuple[Reading | None, bool]:
    parts = [verdict] if grammar.n == 1 else re.findall(_ONE_OF_MANY, verdict)
    scores = []
    for part in parts:
        match = _SCORE.fullmatch(part)
        if match is None or (match[2] and int(match[2]) != grammar.high):  # `3,5` and `4/10`
            return None, False
        scores.append(float(match[1]))
    if not all(grammar.is_on_scale(score) for score in scores):
        return None, True
    return read_scores(*scores), False
