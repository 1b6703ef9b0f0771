"""The sentences that reports have in common: what is said, not how it is laid out."""

from judgecli.reports.wording.headline import cautions, headline, outcomes
from judgecli.reports.wording.rows import Row, Section
from judgecli.reports.wording.sections import sections

__all__ = ["Row", "Section", "cautions", "headline", "outcomes", "sections"]
