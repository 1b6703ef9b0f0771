"""The [*.grammar] tables of a family: what the judge may answer, as far as it is known before a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from judgecli.errors import DataError
from judgecli.prompts.asking import Rubric
from judgecli.prompts.tables import check_keys, member
from judgecli.types import Grammar, LabelsGrammar, ScoresGrammar, Seat

_SCORES_KEYS: Mapping[str, type] = {
    **dict.fromkeys(("kind", "scale", "opening", "separator", "terminator"), str),
    **dict.fromkeys(("low", "high"), int),
    "decimals": bool,
}
_LABELS_KEYS: Mapping[str, type] = {"kind": str, "labels": dict}


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelsTable:
    """Labels, each for a seat, or where one answer is graded for a score."""

    labels: Mapping[str, Seat | float]

    def grammar(self, _n_seats: int, rubric: Rubric | None) -> Grammar:
        """Return the grammar.

        Raises:
            DataError: the rubric has other labels.
        """
        known = [label.strip() for label in self.labels]
        if rubric is not None and not all(isinstance(seat, Seat) for seat in self.labels.values()):
            described = set(rubric.labels) or {str(score) for score in rubric.scores}
            if described != set(known):
                listed = f"{', '.join(known)}; the rubric describes {', '.join(sorted(described))}"
                raise DataError(f"{rubric.file}: the judge answers with one of {listed}")
        return LabelsGrammar(labels=self.labels)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoresTable:
    """Scores. `takes_rubric`: the scale is the rubric's where there is one; `low` None: it must be."""

    low: int | None
    high: int | None
    takes_rubric: bool
    opening: str
    separator: str
    terminator: str
    decimals: bool

    def grammar(self, n_seats: int, rubric: Rubric | None) -> Grammar:
        """Return the grammar for so many answers.

        Raises:
            DataError: there is no scale, or the rubric has labels or another scale.
        """
        low, high = self.scale(n_seats, rubric)
        return ScoresGrammar(
            low=low,
            high=high,
            n=n_seats,
            opening=self.opening,
            separator=self.separator,
            terminator=self.terminator,
            has_decimals=self.decimals,
        )

    def scale(self, n_seats: int, rubric: Rubric | None) -> tuple[int, int]:
        """Return the lowest and the highest score; the rubric's concerns one answer only."""
        if rubric is not None and n_seats == 1:
            if rubric.scale is None:
                raise DataError(
                    f"{rubric.file}: the judge answers in scores; describe [scores], not [labels]"
                )
            if self.takes_rubric:
                return rubric.scale
            if rubric.scale != (self.low, self.high):
                scales = "the judge grades from {} to {}, the rubric from {} to {}"
                raise DataError(f"{rubric.file}: {scales.format(self.low, self.high, *rubric.scale)}")
        if self.low is None or self.high is None:
            raise DataError("the scale is the rubric's; give one with --rubric FILE")
        return self.low, self.high


GrammarTable = LabelsTable | ScoresTable


def scale_values(table: GrammarTable, n_seats: int, rubric: Rubric | None) -> dict[str, str]:
    """Return what fills `{low}`, `{high}` and `{scores}`, the whole scores in quotation marks; {} for labels.

    Raises:
        DataError: the rubric's scale is not the judge's, or there is none.
    """
    if not isinstance(table, ScoresTable):
        return {}
    low, high = table.scale(n_seats, rubric)
    quoted = [f'"{score}"' for score in range(low, high + 1)]
    listed = f"{', '.join(quoted[:-1])} and {quoted[-1]}"
    return {"low": str(low), "high": str(high), "scores": listed}


def fill_scale(text: str, table: GrammarTable, n_seats: int, rubric: Rubric | None) -> str:
    """Return a text with the scale filled in."""
    if not text:
        return text
    for name, value in scale_values(table, n_seats, rubric).items():
        text = text.replace(f"{{{name}}}", value)
    return text


def read_grammar(where: str, table: Mapping[str, Any], *, n_seats: int) -> GrammarTable:
    """Read a grammar's table; `n_seats` is 1, 2 or more: what the labels of one answer are differs.

    Raises:
        DataError: it cannot match anything, or is ambiguous.
    """
    kind = table.get("kind")
    if kind == "scores":
        return _scores_table(where, table, n_seats=n_seats)
    if kind == "labels":
        if n_seats > 2:
            raise DataError(f"{where}: kind must be 'scores' here: labels cannot rank three answers or more")
        return _labels_table(where, table, n_seats=n_seats)
    raise DataError(f"{where}: kind is {kind!r}; it must be 'scores' or 'labels'")


def _scores_table(where: str, table: Mapping[str, Any], *, n_seats: int) -> ScoresTable:
    check_keys(where, table, _SCORES_KEYS)
    low, high = table.get("low"), table.get("high")
    scale = table.get("scale")
    if scale not in {None, "rubric"}:
        raise DataError(f"{where}: scale is {scale!r}; it can be 'rubric', or leave it out")
    is_given = scale is None or low is not None or high is not None
    if is_given and (low is None or high is None or not 0 <= low < high <= 100):
        message = "no score can be written: it needs low and high with 0 <= low < high <= 100"
        raise DataError(f"{where}: {message}")
    found = ScoresTable(
        low=low,
        high=high,
        takes_rubric=scale == "rubric",
        opening=table.get("opening", ""),
        separator=table.get("separator", " "),
        terminator=table.get("terminator", "\n"),
        decimals=table.get("decimals", True),
    )
    _check_ends(where, found, n_seats=n_seats)
    return found


def _check_ends(where: str, table: ScoresTable, *, n_seats: int) -> None:
    """Refuse texts around scores that a number could run into."""
    ends_anywhere = not table.decimals and (table.high or 100) <= 9
    for name, value in (("separator", table.separator), ("terminator", table.terminator)):
        if name == "separator" and n_seats == 1:
            continue
        if value == "" and name == "terminator" and ends_anywhere:
            continue
        if not value or value[0].isdigit() or value[0] == ".":
            raise DataError(f"{where}: {name} must be a text that no number can run into")
    if table.opening.strip():
        raise DataError(f"{where}: opening must be blank; put other text into the prompt or assistant_prefix")


def _labels_table(where: str, table: Mapping[str, Any], *, n_seats: int) -> LabelsTable:
    check_keys(where, table, _LABELS_KEYS)
    labels = table.get("labels")
    example = "{ A = 'first', B = 'second' }" if n_seats == 2 else "{ Yes = 1, No = 0 }"
    if not labels:
        raise DataError(f"{where}: it needs labels, such as labels = {example}")
    if not all(label.strip() for label in labels):
        raise DataError(f"{where}: a label is blank; a verdict is a word, as in labels = {example}")
    meanings = {text: _meaning(where, text, value, n_seats=n_seats) for text, value in labels.items()}
    _check_meanings(where, meanings, n_seats=n_seats)
    _check_apart(where, list(meanings))
    return LabelsTable(labels=meanings)


def _meaning(where: str, label: str, value: Any, *, n_seats: int) -> Seat | float:
    if "\n" in label.strip():
        raise DataError(f"{where}: label {label!r} cannot match: a verdict is read from one line")
    if n_seats == 2:
        return member(f"{where}: label {label!r}", Seat, value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise DataError(f"{where}: label {label!r} must stand for a score of the one answer, such as 1")
    return float(value)


def _check_meanings(where: str, meanings: Mapping[str, Seat | float], *, n_seats: int) -> None:
    if n_seats == 1:
        if len(set(meanings.values())) < 2:
            raise DataError(
                f"{where}: one label alone cannot grade; give a label for each of two scores or more"
            )
        return
    for seat in (Seat.FIRST, Seat.SECOND):
        if seat not in meanings.values():
            raise DataError(f"{where}: no label stands for {seat.value!r}")


def _check_apart(where: str, labels: list[str]) -> None:
    for text in labels:
        for other in labels:
            if other == text:
                continue
            if other.strip().casefold() == text.strip().casefold():
                raise DataError(f"{where}: labels {text!r} and {other!r} are read alike; case does not count")
            if other.startswith(text):
                begins = f"label {text!r} begins {other!r}"
                raise DataError(f"{where}: {begins}; one could not be told from the other")
