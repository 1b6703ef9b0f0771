"""A page as a browser reads it, and runs of every kind that have one."""

import json
from html.parser import HTMLParser

from judgecli import reports
from judgecli.analysis import summarise
from judgecli.types import RunRecord, Summary
from tests.analysis.graded import record as graded
from tests.analysis.ranked import by_pairs, jointly
from tests.reports.trust_summaries import agrees, calibration, run, validation

KINDS: dict[str, tuple[RunRecord, Summary]] = {
    "grade": (graded([8, 7, "u", "", "."]), summarise(graded([8, 7, "u", "", "."]))),
    "rank": (made := by_pairs({"AB": ["BB", "AB"], "AC": ["AA", "uu"], "BC": ["TT", ".."]}), summarise(made)),
    "joint": (made := jointly([[[8.0, 6.0, 4.0]] * 3] * 4, n_models=3), summarise(made)),
    "agree": (run(), agrees()),
    "validate": (run(), validation()),
    "calibrate": (run(), calibration()),
}


class Page(HTMLParser):
    """What a browser finds: tags with their attributes, and the texts of the data blocks."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.blocks: dict[str, str] = {}
        self.words: list[str] = []
        self._block: str | None = None
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._block = dict(attrs).get("id") if tag == "script" else None

    def handle_data(self, data: str) -> None:
        if self._block:
            self.blocks[self._block] = self.blocks.get(self._block, "") + data
        self.words.append(data)

    @property
    def index(self) -> dict:
        return json.loads(self.blocks["index"])

    @property
    def texts(self) -> list[dict]:
        return [one for name, block in self.blocks.items() if name != "index" for one in json.loads(block)]


def page(made: RunRecord, summary: Summary | None = None) -> Page:
    return Page(reports.render("html", made, summary or summarise(made)))
