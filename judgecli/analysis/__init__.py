"""From a run record to estimates: pure functions, one statistic a function.

The item is the unit throughout: the two orders of a pair are one observation. Where n = 0 an
estimate has the value None and its `method` says why; nothing here returns NaN or warns.
What a report shows about a run of some mode is put together in the module named after it.
"""

from importlib import import_module

from judgecli.types import GradeSummary, PairSummary, RankSummary, RunRecord, Summary

_MODES = ("pair", "grade", "rank")


def summarise(record: RunRecord) -> Summary:
    """Return every number a report shows about a run, as its mode has them."""
    mode = record.header.get("mode")
    # Imported when first asked for: scipy takes 0.5 s, which `judge --help` need not wait for.
    summary: Summary = import_module(f"{__name__}.{mode if mode in _MODES else 'pair'}").summary_of(record)
    return summary


def summarise_pairs(record: RunRecord) -> PairSummary:
    """Return every number a report shows about a run of pairs."""
    from judgecli.analysis.pair import summary_of  # noqa: PLC0415 - see above

    return summary_of(record)


def summarise_grades(record: RunRecord) -> GradeSummary:
    """Return every number a report shows about a run that grades."""
    from judgecli.analysis.grade import summary_of  # noqa: PLC0415 - see above

    return summary_of(record)


def summarise_ranking(record: RunRecord) -> RankSummary:
    """Return every number a report shows about a ranking."""
    from judgecli.analysis.rank import summary_of  # noqa: PLC0415 - see above

    return summary_of(record)
