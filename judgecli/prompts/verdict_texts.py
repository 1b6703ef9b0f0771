"""The verdict of an example as the judge would have written it."""

from __future__ import annotations

from judgecli.errors import DataError
from judgecli.prompts.asking import Shot
from judgecli.types import Grammar, LabelsGrammar, ScoresGrammar, Seat


def verdict_text(shot: Shot, grammar: Grammar, n_seats: int) -> str:
    """Return an example's verdict in the words of a grammar, without what stands around it.

    Raises:
        DataError: the example has another number of answers, or no verdict that the grammar can express.
    """
    if len(shot.answers) != n_seats:
        wanted = "answer_a and answer_b" if n_seats == 2 else "answer"
        raise DataError(f"{shot.where}: the example must have {wanted} for this way of judging")
    if isinstance(grammar, ScoresGrammar):
        return _scores(shot, grammar)
    if isinstance(grammar, LabelsGrammar):
        return _label(shot, grammar)
    raise TypeError(grammar)


def _scores(shot: Shot, grammar: ScoresGrammar) -> str:
    if not shot.scores:
        raise DataError(f"{shot.where}: the judge answers in scores; give the example's scores")
    for score in shot.scores:
        if not grammar.is_on_scale(score):
            scale = f"{grammar.low} to {grammar.high}"
            raise DataError(
                f"{shot.where}: the example's score {score:g} is not on the judge's scale, {scale}"
            )
    return grammar.separator.join(f"{score:g}" for score in shot.scores)


def _label(shot: Shot, grammar: LabelsGrammar) -> str:
    meant: Seat | float | None = shot.winner if len(shot.answers) == 2 else shot.scores[0]
    for label, meaning in grammar.labels.items():
        if meaning == meant:
            return label.strip()
    known = ", ".join(label.strip() for label in grammar.labels)
    said = meant.value if isinstance(meant, Seat) else f"{meant:g}"
    raise DataError(f"{shot.where}: the judge has no word for the example's verdict {said!r}, only {known}")
