"""What reports have in common, whatever was judged: rows, how numbers are written, what a header says."""

from judgecli.reports.wording.document import Bar, Document, Headline, Ruling
from judgecli.reports.wording.rows import Row, Section, Table

__all__ = ["Bar", "Document", "Headline", "Row", "Ruling", "Section", "Table"]
