"""What a run's header says: who was compared, by which judge, from which files.

A header may come from another version or another tool's hand: every key may be absent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PureWindowsPath
from typing import Any
from urllib.parse import urlsplit

from judgecli.reports.wording.answers import side_phrases
from judgecli.reports.wording.rows import Row, clean, listed, plural, row, shortened, some
from judgecli.reports.wording.trusting import share
from judgecli.types import Counts, PairSummary, RunRecord, header_part

_SHORT_HASH = 12
_MAX_IDS = 5
_MAX_NOTES = 4
_MAX_ASPECT = 80  # characters; all of it is in the JSON report's header
IMAGE_NOT_SEEN = "image-not-seen"  # the flag of an item that comes with an image
part = header_part  # as short as the rows that look into headers
_ORDERS = {
    "both": "both orders",
    "ab": "one order (A first)",
    "ba": "one order (B first)",
    "one": "one order a pair",
}
_USUAL = {"n_ubatch": "512", "type_k": "f16", "type_v": "f16"}


def setup_rows(header: Mapping[str, Any], summary: PairSummary) -> Iterator[Row | None]:
    """Say who is A and B, the judge, its weights and prompt, and how much was asked."""
    yield row("A baseline", *side_phrases(summary.side_a))
    yield row("B candidate", *side_phrases(summary.side_b))
    yield from judge_rows(header)
    yield row("compared", _compared(summary.counts))


def judge_rows(header: Mapping[str, Any]) -> Iterator[Row | None]:
    """Say which judge was asked, with which weights and prompt, and on what; and which stronger one."""
    imported = word(header, "imported")
    if imported:
        yield row("judge", f"the verdicts in {imported}", "made elsewhere")
    yield row("judge", *_weights(header))
    yield row("prompt", *_prompt(header), *_asking(header))
    yield row("engine", *_engine(header))
    stronger = part(header, "escalation")
    yield row("stronger", *_weights(stronger))
    yield row("", *_prompt(stronger, "prompt "))
    yield row("", *_engine(stronger))
    yield row("base", *_weights({"model": part(header, "base")}))
    yield row("calibration", *_calibration(part(header, "calibration")))


def judge_name(header: Mapping[str, Any]) -> str:
    """Return what a judge is called, the stronger one behind it with it, or the file of its verdicts."""
    own, is_backed = first_judge_name(header), word(part(part(header, "escalation"), "model"), "name")
    return f"{own} backed by {stronger_name(header)}" if is_backed else own


def stronger_name(header: Mapping[str, Any]) -> str:
    """Return what the judge that doubtful pairs were handed to is called."""
    return clean(word(part(part(header, "escalation"), "model"), "name") or "the stronger judge")


def first_judge_name(header: Mapping[str, Any]) -> str:
    """Return what a run's own judge is called, or the file of its verdicts."""
    return clean(word(part(header, "model"), "name") or file_name(word(header, "imported")) or "the judge")


def input_rows(record: RunRecord) -> Iterator[Row | None]:
    """Say how the answers were paired, what was left out, and what the reading noted."""
    given = part(record.header, "input")
    formats = given.get("formats")
    paired = word(given, "paired_by")
    yield row(
        "pairing",
        f"by {paired}" if paired else None,
        f"formats {', '.join(map(str, formats))}" if isinstance(formats, list | tuple) and formats else None,
        turns(given),
        references(given, len(record.items)),
    )
    yield _ids("only in A", given.get("only_in_a"))
    yield _ids("only in B", given.get("only_in_b"))
    yield from listed("notes", notes(record), _MAX_NOTES)


def notes(record: RunRecord) -> list[str]:
    """Return the remarks made while the run file and the input were read.

    Those on the file come first: of many, a report lists the first few.
    """
    noted = part(record.header, "input").get("notes")
    return [*record.notes, *map(str, noted if isinstance(noted, list | tuple) else ())]


def word(table: Mapping[str, Any], key: str) -> str | None:
    """Return a value of a table as text; None where it is absent or empty."""
    value = table.get(key)
    return None if value is None or value == "" else str(value)


def file_name(path: str | None) -> str | None:
    """Return a path's last part, whichever system wrote it."""
    return PureWindowsPath(path).name if path else None


def _weights(header: Mapping[str, Any]) -> Iterator[str | None]:
    model = part(header, "model")
    yield word(model, "name")
    # behind an endpoint there is no file, and its name would be the model's again
    if part(header, "backend").get("device") != "endpoint":
        yield file_name(word(model, "file"))
    yield _hash("sha256", model, "sha256")


def _prompt(header: Mapping[str, Any], heading: str = "") -> Iterator[str | None]:
    prompt = part(header, "prompt")
    family = " ".join(filter(None, (word(prompt, "family"), word(prompt, "variant"))))
    yield heading + family if family else None
    yield _hash("hash", prompt, "hash")


def _hash(kind: str, table: Mapping[str, Any], key: str) -> str | None:
    digest = word(table, key)
    return f"{kind} {digest[:_SHORT_HASH]}" if digest else None


def _asking(header: Mapping[str, Any]) -> Iterator[str | None]:
    prompt, orders = part(header, "prompt"), word(header, "orders")
    if prompt.get("n_seats") == 1:
        yield "each answer graded alone"
    elif orders:
        yield _ORDERS.get(orders, orders)
    yield from asked_for(prompt)
    sampling = word(header, "sampling")
    yield sampling
    if sampling and sampling != "greedy":
        yield f"seed {header.get('seed')}"
    min_mass = header.get("min_mass")
    yield f"min mass {min_mass:g}" if isinstance(min_mass, int | float) else None
    yield "with reasons" if header.get("reasons") else None


def asked_for(prompt: Mapping[str, Any]) -> Iterator[str | None]:
    """Say how the prompts of a family were varied, and where its verdict stands."""
    yield "reasons first" if prompt.get("place") == "last" else None
    aspect = word(prompt, "aspect")
    yield f"aspect {shortened(aspect, _MAX_ASPECT)}" if aspect else None
    for name in ("rubric", "shots"):
        file = word(part(prompt, name), "file")
        yield f"{name} {PureWindowsPath(file).name}" if file else None
    yield "reference block" if prompt.get("reference_block") else None
    yield "off protocol" if prompt.get("off_protocol") else None


def _engine(header: Mapping[str, Any]) -> Iterator[str | None]:
    backend = part(header, "backend")
    yield word(backend, "name")
    yield _address(word(backend, "base_url"))
    model = word(backend, "model")
    yield f"model {model}" if model and model not in (word(part(header, "model"), "name") or "") else None
    version = word(backend, "llama_cpp_python")
    yield f"llama-cpp-python {version}" if version else None
    yield word(backend, "device")
    n_ctx = word(backend, "n_ctx")
    yield f"n_ctx {n_ctx}" if n_ctx else None
    for name, usual in _USUAL.items():
        value = word(backend, name)
        yield f"{name} {value}" if value not in {None, usual} else None
    yield "no flash attention" if backend.get("flash_attn") is False else None


def _address(url: str | None) -> str | None:
    """Return an endpoint's address without what may be a secret in it: a user, a password, a query."""
    if url is None:
        return None
    try:
        parts = urlsplit(url)
    except ValueError:  # no address at all
        return None
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}{parts.path}" if host else None


def _calibration(calibration: Mapping[str, Any]) -> Iterator[str | None]:
    yield file_name(word(calibration, "file"))
    temperature, threshold = calibration.get("temperature"), calibration.get("threshold")
    yield f"temperature {temperature:.3g}" if isinstance(temperature, int | float) else None
    yield f"threshold {threshold:g}" if isinstance(threshold, int | float) else None
    agree, confidence = calibration.get("agree"), calibration.get("confidence")
    if isinstance(agree, int | float) and isinstance(confidence, int | float):
        yield f"for {share(agree)} agreement with {share(confidence)} confidence"


def _compared(counts: Counts) -> str:
    cached = f", {counts.n_cached:,} from the cache" if counts.n_cached else ""
    return f"{plural(counts.n_pairs, 'comparison')} ({plural(counts.n_judgments, 'judgment')}{cached})"


def references(given: Mapping[str, Any], n_items: int) -> str | None:
    """Say how many items have a reference answer; None where a header counts none."""
    n = given.get("n_with_reference")
    return f"a reference for {n:,} of {n_items:,}" if isinstance(n, int) and n else None


def turns(given: Mapping[str, Any]) -> str | None:
    """Say which turn of conversations was judged; None where there are no conversations."""
    n, turn = given.get("n_multi_turn"), word(given, "turn")
    if not isinstance(n, int) or not n or turn is None:
        return None
    which = f"turn {turn}" if turn.isdigit() else f"the {turn} turn"
    return f"{which} of {plural(n, 'conversation')}"


def images(flags: Mapping[str, int]) -> Row | None:
    """Say that no judge sees an image; None where no item comes with one."""
    n = flags.get(IMAGE_NOT_SEEN, 0)
    return row("images", f"{plural(n, 'item')} about an image, which the judge never sees") if n else None


def _ids(label: str, ids: Any) -> Row | None:
    if not isinstance(ids, list | tuple) or not ids:
        return None
    return row(label, f"{plural(len(ids), 'id')}: {', '.join(some(map(str, ids), _MAX_IDS))}")
