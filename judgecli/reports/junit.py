"""The report as JUnit XML, for CI servers that show such files.

Cases are: that the run has a result, and not too many failures; the gate where there is one; and every item
that has no verdict because the judge failed on it. The suite is red where the command that judged does not
end with 0, and only there: such an item is an error in a suite that is red anyway, else it is skipped. Where
the gate failed, each pair that was lost is a failure. The report's words are in `system-out`, its setup in
`properties`. Control characters are written out; what XML forbids all the same becomes U+FFFD.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from judgecli.reports.pairs.texts import one_line
from judgecli.reports.wording import Document
from judgecli.reports.wording.cautions import failed_one
from judgecli.reports.wording.rows import clean
from judgecli.types import (
    DecidedBy,
    GateDecision,
    Item,
    Judgment,
    PairSummary,
    RunRecord,
    Summary,
    Verdict,
    Winner,
    header_part,
)

# Source: W3C, Extensible Markup Language (XML) 1.0, production 2 (Char).
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")  # the format has no time zones; runs begin in UTC
_JUDGING = {"pair", "grade", "rank"}  # others only compare, and end with 0 whatever they find
_MAX_ASKED = 120  # characters of a question
_JUDGED = "the run has a result"
_GATE = {GateDecision.FAIL: "failure", GateDecision.INCONCLUSIVE: "error"}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """A test case: `outcome` is failure, error or skipped, None where it passed."""

    group: str
    name: str
    outcome: str | None = None
    kind: str = ""
    message: str = ""


def render(
    *,
    record: RunRecord,
    summary: Summary,
    document: Document,
    problem: str | None = None,
    **_other: object,
) -> str:
    """Return the report as one JUnit test suite; `problem` is what is wrong with the run as a whole."""
    if problem is None and summary.about in _JUDGING and not _has_result(record):
        problem = str(document.headline)
    cases = list(_cases(record, summary, document, problem))
    counts = {"tests": len(cases)}
    for outcome, plural in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
        counts[plural] = sum(case.outcome == outcome for case in cases)
    numbers = {name: str(n) for name, n in counts.items()} | {"time": f"{_seconds(record):.3f}"}
    suites = Element("testsuites", {"name": "judge", **numbers})
    suite = SubElement(suites, "testsuite", {"name": f"judge {summary.about}", **numbers, **_started(record)})
    _add_properties(suite, document)
    for case in cases:
        _add_case(suite, case)
    SubElement(suite, "system-out").text = _allowed("\n".join(_words(document)))
    indent(suites)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(suites, encoding="unicode")}\n'


def _cases(record: RunRecord, summary: Summary, document: Document, problem: str | None) -> Iterator[_Case]:
    group = f"judge.{summary.about}"
    if problem is None:
        yield _Case(group=group, name=_JUDGED)
    else:
        yield _Case(group=group, name=_JUDGED, outcome="error", kind="judging", message=problem)
    ruling = document.ruling
    if ruling is not None:
        outcome = _GATE.get(ruling.decision)
        kind = ruling.decision if outcome else ""
        yield _Case(group=f"{group}.gate", name="gate", outcome=outcome, kind=kind, message=ruling.sentence)
    is_red = problem is not None or (ruling is not None and ruling.decision in _GATE)
    for one in _outcomes(record):
        if one.failure is not None:
            yield _failed(f"{group}.failures", one, "error" if is_red else "skipped")
    if ruling is not None and ruling.decision is GateDecision.FAIL:
        yield from _lost(f"{group}.losses", record, summary)


def _outcomes(record: RunRecord) -> Sequence[Verdict | Judgment]:
    """Return what may have failed: the verdicts of pairs, or the judgments where there are none."""
    return record.verdicts or tuple(record.judgments.values())


def _has_result(record: RunRecord) -> bool:
    """Whether the judge has given any result, or rules have and it failed on nothing."""
    results = [one for one in record.verdicts if one.winner is not None]
    if record.verdicts:
        by_judge = any(one.decided_by is DecidedBy.JUDGE for one in results)
        return by_judge or (bool(results) and all(one.failure is None for one in record.verdicts))
    return bool(record.decided) or any(one.failure is None for one in record.judgments.values())


def _failed(group: str, one: Verdict | Judgment, outcome: str) -> _Case:
    name = one.item_id if isinstance(one, Verdict) else f"{one.item_id} {one.order}"
    return _Case(group=group, name=name, outcome=outcome, kind=str(one.failure), message=failed_one(one))


def _lost(group: str, record: RunRecord, summary: Summary) -> Iterator[_Case]:
    """Yield the pairs that a gate counts as lost, those without the candidate's answer last."""
    items = {item.id: item for item in record.items}
    by = header_part(record.header, "gate").get("by")
    for one in record.verdicts:
        if one.winner is Winner.A and one.failure is None:
            said = _asked(items[one.item_id], by) if one.item_id in items else ""
            message = f"{one.item_id}: the baseline's answer is better{said}"
            yield _Case(group=group, name=one.item_id, outcome="failure", kind="loss", message=message)
    for item_id in summary.lacking if isinstance(summary, PairSummary) else ():
        message = f"{item_id}: no answer of the candidate"
        yield _Case(group=group, name=item_id, outcome="failure", kind="missing", message=message)


def _asked(item: Item, by: object) -> str:
    """Say what was asked, and what the item has in the field that the gate splits by."""
    value = item.metadata.get(by) if isinstance(by, str) else None
    part = "" if value is None else f"{one_line(f'{by} {value}', _MAX_ASKED)}: "
    return f" ({part}{one_line(item.instruction, _MAX_ASKED)})"


def _add_properties(suite: Element, document: Document) -> None:
    properties = SubElement(suite, "properties")
    said = [("headline", str(document.headline))]
    setup = document.sections[0].rows if document.sections else ()
    label = ""
    for row in setup:
        label = row.label or label
        said.append((label, ", ".join(row.phrases)))
    for name, value in said:
        SubElement(properties, "property", {"name": _allowed(name), "value": _allowed(value)})


def _add_case(suite: Element, case: _Case) -> None:
    name, message = _allowed(clean(case.name)), _allowed(clean(case.message))
    element = SubElement(suite, "testcase", {"classname": case.group, "name": name, "time": "0"})
    if case.outcome == "skipped":
        SubElement(element, "skipped", {"message": message})
    elif case.outcome:
        told = SubElement(element, case.outcome, {"type": case.kind, "message": message})
        told.text = message
    elif message:
        SubElement(element, "system-out").text = message


def _words(document: Document) -> Iterator[str]:
    if document.ruling:
        yield document.ruling.sentence
    yield str(document.headline)
    for _, sentences in document.warnings:
        yield f"! {' '.join(sentences)}"
    for bar in document.bars:
        yield f"{bar.name}: {bar.n:,}"
    for part in document.sections:
        yield from ("", part.title)
        for row in part.rows:
            yield f"{row.label:<13}{', '.join(row.phrases)}"


def _seconds(record: RunRecord) -> float:
    made = (*record.judgments.values(), *record.escalated.values())
    return sum(one.elapsed_s for one in made)


def _started(record: RunRecord) -> dict[str, str]:
    started = _TIME.match(str(record.header.get("started_at")))
    return {"timestamp": started[0]} if started else {}


def _allowed(text: str) -> str:
    return _FORBIDDEN.sub("\ufffd", text)
