"""Debian's Chromium without a screen, where it is installed, and a page around the report that drives it.

That page presses its keys and buttons as a reader would, and writes down what is then to be seen. A start of
the browser takes seconds, so each test looks at as much as it can.
"""

import json
import os
import re
import shutil
import subprocess
from html import unescape
from pathlib import Path
from typing import Any

import pytest

from judgecli import reports
from judgecli.analysis import summarise
from judgecli.types import RunRecord, Summary

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
needs_browser = pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")

AROUND = """<!DOCTYPE html><meta charset="utf-8">
<iframe id="f" width="%d" height="900" src="report.html#%s"></iframe>
<pre id="out"></pre><script>
const frame = document.getElementById("f"), seen = {};
frame.onload = async () => {
  if (frame.dataset.done) return;
  frame.dataset.done = "yes";
  const view = frame.contentWindow, page = frame.contentDocument;
  const pause = () => new Promise((go) => setTimeout(go, 400));
  const one = (css) => page.querySelector(css);
  const press = async (key, target) => {
    const event = new view.KeyboardEvent("keydown", { key, bubbles: true, cancelable: true });
    (target || page.body).dispatchEvent(event);
    await pause();
  };
  const click = async (css) => { one(css).click(); await pause(); };
  const type = async (text) => {
    one("#search").value = text;
    one("#search").dispatchEvent(new view.Event("input"));
    await pause();
  };
  const go = async (hash) => { view.location.hash = hash; await pause(); };
  const inSight = (css) => {
    const { top, bottom } = one(css).getBoundingClientRect();
    return top >= 0 && bottom <= view.innerHeight;
  };
  const look = (name) => {
    seen[name] = {
      title: page.title,
      count: one("#count").textContent,
      ids: [...page.querySelectorAll(".row .cell.id")].map((cell) => cell.textContent),
      open: one("#detail").hidden ? null : one("#detail h3").textContent,
      words: one("#detail").textContent,
      marks: [...page.querySelectorAll("mark")].map((mark) => mark.textContent),
      hash: decodeURIComponent(view.location.hash),
      theme: page.documentElement.dataset.theme,
      focus: page.activeElement ? page.activeElement.id || page.activeElement.dataset.go || "" : "",
      chosen: page.querySelectorAll(".row[aria-selected=true]").length,
      box: one("#search").value,
      sight: inSight(one("#detail").hidden ? "#head" : "#detail h3"),
      groups: [...page.querySelectorAll("#group option")].map((option) => option.textContent),
      legend: [...page.querySelectorAll(".legend.large a")].map((link) => decodeURIComponent(link.hash)),
      cells: [...page.querySelectorAll(".row:first-child .cell")]
        .filter((cell) => cell.offsetParent).map((cell) => cell.textContent),
      foreign: page.querySelectorAll("img, svg[onload], a[href^='javascript'], iframe").length,
      wide: page.documentElement.scrollWidth - page.documentElement.clientWidth,
    };
  };
  await pause();
  try { %s } catch (error) { seen.error = String(error); }
  document.getElementById("out").textContent = JSON.stringify(seen);
};
</script>"""


def browse(folder: Path, *switches: str) -> str:
    """Return what the browser writes; its profile is in the folder."""
    assert BROWSER is not None
    quiet = ("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-extensions")
    done = subprocess.run(
        [BROWSER, *quiet, f"--user-data-dir={folder / 'profile'}", "--virtual-time-budget=30000", *switches],
        capture_output=True,
        env={**os.environ, "HOME": str(folder), "XDG_CONFIG_HOME": str(folder)},
        timeout=120,
        check=True,
    )
    return done.stdout.decode()


def drive(
    folder: Path,
    made: RunRecord,
    steps: str,
    *,
    fragment: str = "",
    width: int = 1280,
    summary: Summary | None = None,
) -> dict[str, Any]:
    """Return what `look(name)` saw at each step of a script."""
    text = reports.render("html", made, summary or summarise(made))
    (folder / "report.html").write_text(text, encoding="utf-8")
    (folder / "around.html").write_text(AROUND % (width, fragment, steps), encoding="utf-8")
    url = (folder / "around.html").as_uri()
    page = browse(folder, "--allow-file-access-from-files", "--dump-dom", url)
    found = re.search(r'<pre id="out">([^<]*)</pre>', page)
    assert found
    seen: dict[str, Any] = json.loads(unescape(found[1]))
    assert "error" not in seen, seen["error"]
    return seen
