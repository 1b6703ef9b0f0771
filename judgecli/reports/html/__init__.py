"""The HTML report: one file that opens from disk, asks no network, and lets nothing in an answer run."""

from judgecli.reports.html.page import render

__all__ = ["render"]
