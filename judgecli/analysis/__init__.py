"""From a run record to estimates: pure functions, one statistic a function.

The item is the unit throughout: the two orders of a pair are one observation. Where n = 0 an
estimate has the value None and its `method` says why; nothing here returns NaN or warns.
"""

from judgecli.types import RunRecord, Summary


def summarise(record: RunRecord) -> Summary:
    """Return every number a report shows about a run."""
    # Imported when first asked for: scipy takes 0.5 s, which `judge --help` need not wait for.
    from judgecli.analysis.summary import summary_of  # noqa: PLC0415

    return summary_of(record)
