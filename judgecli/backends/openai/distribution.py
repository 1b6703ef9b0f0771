"""Where a verdict stands in a reply, and the labels' probabilities there, from the tokens a server tells."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from judgecli.backends.openai.reply import Token
from judgecli.types import Distribution, Grammar, LabelsGrammar, ScoresGrammar

_NUMBER = r"-?[0-9]+(?:\.[0-9]+)?"
_NUMBERS = rf"{_NUMBER}(?:(?:[^\S\n]*,[^\S\n]*|[^\S\n]+){_NUMBER})*"
_OPENING, _CLOSING = "[\\s\"\u201c'*`]*", "[\"\u201d'*`.!]*[^\\S\\n]*(?=\\n|$)"
_QUOTES = "\"\u201c'*`"
_LOOKED_BACK = 16
_LONGEST_TOKEN = 80  # of those that are shown


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstVerdict:
    """What a reply says at its beginning: the text that goes on from the begun reply.

    `label` is the grammar's own text of a verdict that stands there, None where there is none, and `at` the
    character of the whole reply where it does. `is_verdict` says the same of scores.
    """

    text: str
    at: int = 0
    label: str | None = None
    is_verdict: bool = False


def first_verdict(
    reply: str, grammar: Grammar, *, begun: str = "", start: int = 0, goes_on: bool = False
) -> FirstVerdict:
    """Find the verdict that a reply begins with, from the character `start` on.

    A reply may repeat the begun sentence, or go on with it (`goes_on`): then a quotation mark ends a verdict.
    Otherwise it stands alone on the first line, maybe with quotation marks or asterisks around it, which are
    left out; `A and B are equal` is no verdict.
    """
    spoken = re.compile(r"\s*" + r"\s+".join(map(re.escape, begun.split())), re.IGNORECASE)
    repeated = spoken.match(reply, start) if begun.strip() else None
    at = repeated.end() if repeated else start
    alone = re.compile(f"{_OPENING}(?P<verdict>{_verdicts(grammar)}){_CLOSING}", re.IGNORECASE)
    found = alone.match(reply, at)
    if found is not None:
        text = found["verdict"] + reply[found.end() :]
        return _first(text, found, grammar)
    quoted = re.compile(rf"\s*(?P<verdict>{_verdicts(grammar)})[\"\u201d]", re.IGNORECASE).match(reply, at)
    if quoted is not None and (goes_on or repeated is not None):
        return _first(reply[at:], quoted, grammar)
    return FirstVerdict(text=reply[at:], at=at)


def _first(text: str, found: re.Match[str], grammar: Grammar) -> FirstVerdict:
    label = _label(found["verdict"], grammar)
    return FirstVerdict(text=text, at=found.start("verdict"), label=label, is_verdict=True)


def _verdicts(grammar: Grammar) -> str:
    if isinstance(grammar, ScoresGrammar):
        return _NUMBERS
    labels = sorted(_bare_labels(grammar), key=len, reverse=True)
    return "|".join(map(re.escape, labels)) or r"(?!)"


def _label(verdict: str, grammar: Grammar) -> str | None:
    labels = grammar.labels if isinstance(grammar, LabelsGrammar) else {}
    return next((label for label in labels if label.strip().casefold() == verdict.casefold()), None)


def label_at(text: str, at: int, grammar: LabelsGrammar) -> str | None:
    """Return the label that stands at a character of a text, the longest of several."""
    for label in sorted(grammar.labels, key=len, reverse=True):
        spelled = r"\s+".join(map(re.escape, label.split()))
        if re.compile(spelled, re.IGNORECASE).match(text, at):
            return label
    return None


def _bare_labels(grammar: Grammar) -> list[str]:
    return [label.strip() for label in grammar.labels] if isinstance(grammar, LabelsGrammar) else []


def distribution_at(
    reply: str, tokens: Sequence[Token], at: int, label: str, grammar: LabelsGrammar
) -> Distribution | None:
    """Return the labels' probabilities where `label` was written, at the character `at` of a reply.

    They are conditional on what stands before. A token counts for the one label that it is or begins. While
    the written tokens begin several (`[[`, `Response`), the next place is looked at; other tokens that do are
    `p_unopened`, with those that only open a quotation. What is not among the server's top tokens counts as
    nothing, so the mass is a lower bound. None where the tokens do not spell the reply, or not the label, or
    what is told of them are no probabilities.
    """
    p = dict.fromkeys(grammar.labels, 0.0)
    unopened, weight, written = 0.0, 1.0, ""
    preferred: tuple[str, float] | None = None
    for token, lead in _tokens_from(reply, tokens, at):
        if not token.is_possible:
            return None
        preferred = preferred or max(token.top, key=lambda one: one[1])
        for text, p_text in token.top:
            fitting = _fitting(written + text.removeprefix(lead), grammar) if text.startswith(lead) else []
            if len(fitting) == 1:
                p[fitting[0]] += weight * p_text
            elif fitting and text != token.text:
                unopened += weight * p_text
        written += token.text.removeprefix(lead)
        weight *= token.p
        if len(_fitting(written, grammar)) < 2:
            break
    if preferred is None or p[label] <= 0:
        return None
    shown = (preferred[0][:_LONGEST_TOKEN], preferred[1])
    return Distribution(p=p, greedy=label, p_unopened=unopened, preferred=shown)


def _tokens_from(reply: str, tokens: Sequence[Token], at: int) -> Iterator[tuple[Token, str]]:
    """Yield the tokens from a reply's character on, and what the first one spells before it.

    A server that keeps a model's thinking out of the reply may still list its tokens before the reply's.
    """
    # only the reply's end is looked for: the tokens of an emoji further up are spelled as no text is
    before = reply[max(at - _LOOKED_BACK, 0) : at].lstrip()
    start = "".join(token.text for token in tokens).rfind(before + reply[at:].rstrip())
    if start < 0:
        return
    place, end = start + len(before), 0
    for token in tokens:
        begin, end = end, end + len(token.text)
        if end > place:
            yield token, token.text[: max(place - begin, 0)]


def _fitting(text: str, grammar: LabelsGrammar) -> list[str]:
    """Return the labels that a text is, with or without something after it, or begins.

    Case counts for a single letter: `a` is an article.
    """
    said = text.lstrip().lstrip(_QUOTES)
    if not said.strip():
        return list(grammar.labels) if text.strip() else []
    return [label for label in grammar.labels if _fits(said, label.strip())]


def _fits(said: str, label: str) -> bool:
    if len(label) > 1:
        said, label = said.casefold(), label.casefold()
    if label.startswith(said):
        return True
    after = said.removeprefix(label)
    return said.startswith(label) and not (label[-1:].isalnum() and after[:1].isalnum())
