"""Which words of two answers are marked, in a browser."""

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

from judgecli.reports import html
from tests.reports.html.browser import browse, needs_browser

pytestmark = needs_browser
FOLDER = Path(html.__file__).parent
WORDS = [f"word{n}" for n in range(36_000)]  # 300,000 characters


def every(n: int, words: list[str]) -> list[str]:
    return [f"other{k}" if k % n == 7 else word for k, word in enumerate(words)]


PAIRS: dict[str, tuple[str, str]] = {
    "words": (
        "the plain answer is short, and it is right on the whole",
        "the plain answer is long, and it is right on the whole",
    ),
    "same": ("one", "one"),
    "case": ("It is in Paris, I think.", "It is in paris, I think."),
    "indentation": ("if x:\n    return y\n", "if x:\n  return y\n"),
    "all capitals": ("all of it", "ALL OF IT"),
    "chinese": ("光合作用是植物利用阳光制造养分的过程。", "光合作用是植物利用阳光合成养分的过程。"),
    "japanese": (
        "光合成は植物が行う反応です。とても大切です。",
        "光合成は藻類が行う反応です。とても大切です。",
    ),
    "thai": ("การสังเคราะห์ด้วยแสงเป็นกระบวนการของพืช", "การสังเคราะห์ด้วยแสงคือกระบวนการของพืช"),
    "hindi": ("हिन्दी भाषा बहुत सुंदर है", "हिन्दी भाषा बहुत पुरानी है"),
    "chance": ("one the two of three a four", "five the six of seven a eight"),
    "nothing": ("one two three four five six", "seven eight nine ten eleven twelve"),
    "long": (" ".join(WORDS), " ".join(every(50, WORDS))),
    "longer by one part": (" ".join(WORDS), " ".join([*WORDS[:9], *every(1, WORDS[:5000]), *WORDS[9:]])),
    "long and other": (" ".join(WORDS), " ".join(reversed(WORDS))),
    "empty": ("", "something"),
}


def marked(tmp_path: Path) -> dict[str, Any]:
    """Return what is found for each pair, of the long ones how many pieces differ."""
    scripts = [(FOLDER / name).read_text(encoding="utf-8") for name in ("myers.js", "words.js")]
    page = """<!DOCTYPE html><meta charset="utf-8"><pre id="out"></pre><script>%s
    const found = {};
    for (const [name, [a, b]] of Object.entries(%s)) {
      const { marked, reason } = judgeWords(a, b);
      const whole = !marked || [a, b].every((text, k) => marked[k].map((one) => one[0]).join("") === text);
      const words = marked && marked.map((side) => side.filter((one) => one[1]).map((one) => one[0]));
      const isLong = a.length > 1000;
      found[name] = { reason, whole, words: isLong && words ? words.map((one) => one.length) : words };
    }
    document.getElementById("out").textContent = JSON.stringify(found);
    </script>"""
    path = tmp_path / "words.html"
    path.write_text(page % ("\n".join(scripts), json.dumps(PAIRS)), encoding="utf-8")
    found = re.search(r'<pre id="out">([^<]*)</pre>', browse(tmp_path, "--dump-dom", path.as_uri()))
    assert found
    told: dict[str, Any] = json.loads(unescape(found[1]))
    return told


def test_words_that_differ_are_marked_or_it_is_said_why_not(tmp_path):
    found = marked(tmp_path)
    assert all(one["whole"] for one in found.values())
    assert {name: one.get("words") for name, one in found.items()} == {
        "words": [["short"], ["long"]],
        "same": None,
        "case": [["Paris"], ["paris"]],
        "indentation": [[":\n    "], [":\n  "]],
        "all capitals": [["all of it"], ["ALL OF IT"]],
        "chinese": [["制造"], ["合成"]],
        "japanese": [["植物"], ["藻類"]],
        "thai": [["เป็น"], ["คือ"]],
        "hindi": [["सुंदर "], ["पुरानी "]],
        "chance": None,
        "nothing": None,
        "long": [720, 720],
        "longer by one part": [0, 1],
        "long and other": None,
        "empty": None,
    }
    reasons = {name: one["reason"] for name, one in found.items() if "reason" in one}
    only = "they differ only in case or spacing"
    hardly = "hardly a passage in common: differences are not marked"
    assert reasons == {
        "same": "the same text",
        "case": only,
        "indentation": only,
        "all capitals": only,
        "chance": hardly,
        "nothing": hardly,
        "long and other": "too many differ to compare word by word",
        "empty": hardly,
    }
