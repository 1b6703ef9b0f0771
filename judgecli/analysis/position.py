"""Position bias, from the verdicts of both orders of each pair.

A table counts pairs: rows are the verdict in order AB (A in the first seat), columns the verdict in
order BA, each A, tie, B as models, not seats. Above the diagonal the judge leant to the first seat.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from judgecli.analysis.intervals import share, tango_interval
from judgecli.analysis.orders import in_one_order
from judgecli.analysis.winrate import sign_midp
from judgecli.types import DecidedBy, Estimate, Order, Position, RunRecord, Verdict, Winner

Table = tuple[tuple[int, int, int], ...]

_AXIS = (Winner.A, Winner.TIE, Winner.B)


def position(record: RunRecord, verdicts: tuple[Verdict, ...]) -> Position:
    """Return the statistics of the seats for these verdicts; all None where one order was judged."""
    one_order = in_one_order(record.header)
    table = position_table(record, verdicts)
    if graded_alone(record.header):
        absent = "no seats: each answer was graded alone"
    else:
        absent = "not measured (one order)" if one_order else "no pair judged in both orders"
    has_table = not one_order and not graded_alone(record.header)
    return position_of(table, absent=absent, has_table=has_table)


def position_of(table: Table, *, absent: str, has_table: bool = True) -> Position:
    """Return the statistics of a table; without counts all are None, and `absent` says why."""
    return Position(
        table=table if has_table else None,
        consistency=consistency(table, absent=absent),
        prefers_first=prefers_first(table, absent=absent),
        prefers_second=prefers_second(table, absent=absent),
        lean=lean(table, absent=absent),
        hard_flips=hard_flips(table, absent=absent),
        effect=position_effect(table, absent=absent),
    )


def graded_alone(header: Mapping[str, Any]) -> bool:
    """Whether the answers of a pair were graded each in a prompt of its own."""
    prompt = header.get("prompt")
    return isinstance(prompt, Mapping) and prompt.get("n_seats") == 1


def position_table(record: RunRecord, verdicts: tuple[Verdict, ...]) -> Table:
    """Count the pairs that the judge decided, with a winner or tie in both orders."""
    counts = [[0, 0, 0], [0, 0, 0], [0, 0, 0]]
    for verdict in verdicts:
        if verdict.winner is None or verdict.decided_by is not DecidedBy.JUDGE:
            continue
        ab = record.judgments.get((verdict.item_id, Order.AB))
        ba = record.judgments.get((verdict.item_id, Order.BA))
        if ab and ba and ab.winner and ba.winner:
            counts[_AXIS.index(ab.winner)][_AXIS.index(ba.winner)] += 1
    return tuple((row[0], row[1], row[2]) for row in counts)


def consistency(table: Table, *, absent: str) -> Estimate:
    """Return the share of pairs with the same verdict in both orders. Source: JudgeLM, C / N."""
    same = sum(table[i][i] for i in range(3))
    return share("consistency", same, _total(table), absent=absent)


def prefers_first(table: Table, *, absent: str) -> Estimate:
    """Return the share of pairs whose verdict leans to the first seat. Source: JudgeLM, P / N."""
    return share("prefers_first", _first(table), _total(table), absent=absent)


def prefers_second(table: Table, *, absent: str) -> Estimate:
    """Return the share of pairs whose verdict leans to the second seat. Source: JudgeLM, R / N."""
    return share("prefers_second", _second(table), _total(table), absent=absent)


def lean(table: Table, *, absent: str) -> Estimate:
    """Return the signed lean to the first seat, (P - R) / N, with Tango's interval and the mid-p value.

    JudgeLM's delta bias is its absolute value, which is biased upwards in small samples.
    """
    first, second, n = _first(table), _second(table), _total(table)
    interval = tango_interval(first, second, n)
    if interval is None:
        return Estimate(name="lean", value=None, n=0, method=absent)
    return Estimate(
        name="lean",
        value=(first - second) / n,
        low=interval[0],
        high=interval[1],
        n=n,
        p_value=sign_midp(first, second),
        method="first minus second seat, Tango score interval, 95%; sign test, mid-p",
    )


def hard_flips(table: Table, *, absent: str) -> Estimate:
    """Return the share of pairs where the two orders name different winners, ties aside."""
    return share("hard_flips", table[0][2] + table[2][0], _total(table), absent=absent)


def position_effect(table: Table, *, absent: str) -> Estimate:
    """Return half the difference of a model's win rate in the first and in the second seat.

    So much would a run in one order have been off by.
    """
    n = _total(table)
    if n == 0:
        return Estimate(name="position_effect", value=None, n=0, method=absent)
    columns = tuple(zip(*table, strict=True))
    a_first = sum(table[0]) + sum(table[1]) / 2
    a_second = sum(columns[0]) + sum(columns[1]) / 2
    method = "half the win rate in the first minus in the second seat"
    return Estimate(name="position_effect", value=(a_first - a_second) / n / 2, n=n, method=method)


def _total(table: Table) -> int:
    return sum(map(sum, table))


def _first(table: Table) -> int:
    return table[0][1] + table[0][2] + table[1][2]


def _second(table: Table) -> int:
    return table[1][0] + table[2][0] + table[2][1]
