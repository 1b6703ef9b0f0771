"""Read what a user calls a model: `name[:QUANT]`, a `.gguf` path, or `hf:org/repo/file.gguf[@revision]`."""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from pathlib import Path

from judgecli.errors import ModelError
from judgecli.registry.cards import CardFile, ModelCard, cards
from judgecli.registry.weights_file import shard_names
from judgecli.types.paths import is_there

_HUB = re.compile(
    r"hf:(?://)?(?P<repo>[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*)/(?P<path>[^@\\]+\.gguf)(?:@(?P<revision>[^\s@]+))?",
    re.IGNORECASE | re.ASCII,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """A model as the user named it. Either `path` is set, or `files` holds the candidates, best first.

    With a card and no quantization named, all its files are candidates, the default one first.
    """

    text: str
    path: Path | None = None
    card: ModelCard | None = None
    files: tuple[CardFile, ...] = ()

    def name_of(self, file: CardFile) -> str:
        """Return the full name of one candidate: `judgelm-7b:Q4_K_M`, or the spec where there is no card."""
        return f"{self.card.name}:{file.quant}" if self.card else self.text


def parse_spec(text: str) -> Spec:
    """Read a model spec, without looking into any cache.

    A card's name wins over a file of the same name in the current folder; write `./name` for that.

    Raises:
        ModelError: an unknown name or quantization, a card without files, or a malformed `hf:` spec.
    """
    text = text.strip()
    if text[:3].casefold() == "hf:":
        return _hub_spec(text)
    if "://" in text:
        raise ModelError(
            f"{text}: URLs are not fetched; name a hub file as hf:org/repo/file.gguf, or give a path"
        )
    if text.casefold().endswith(".gguf") or "/" in text or "\\" in text:
        return _path_spec(text)
    name, _, quant = text.partition(":")
    card = cards().get(name.casefold())
    if card is not None:
        return _card_spec(text, card, quant)
    if text and is_there(Path(text)):
        return _path_spec(text)
    raise ModelError(f"{text!r} is no known model; {_suggestion(name)}")


def _path_spec(text: str) -> Spec:
    try:
        return Spec(text=text, path=Path(text).expanduser())
    except RuntimeError:  # `~name` of an unknown user: an ordinary file name then
        return Spec(text=text, path=Path(text))


def _suggestion(name: str) -> str:
    close = difflib.get_close_matches(name.casefold(), cards(), n=3, cutoff=0.5)
    listing = "`judge models ls` lists all, a path to a .gguf file or hf:org/repo/file.gguf is one too"
    return f"did you mean {' or '.join(close)}? {listing}" if close else listing


def _card_spec(text: str, card: ModelCard, quant: str) -> Spec:
    if not card.files:
        raise ModelError(f"{card.name}: {card.note}")
    if not quant:
        ordered = sorted(card.files, key=lambda file: file.quant != card.default_quant)
        return Spec(text=text, card=card, files=tuple(ordered))
    for file in card.files:
        if file.quant.casefold() == quant.casefold():
            return Spec(text=text, card=card, files=(file,))
    known = ", ".join(file.quant for file in card.files)
    raise ModelError(f"{card.name} has no quantization {quant!r}; there are {known}")


def _hub_spec(text: str) -> Spec:
    match = _HUB.fullmatch(text)
    if match is None or any(part in {"", ".", ".."} for part in match["path"].split("/")):
        raise ModelError(
            f"{text}: write a hub file as hf:org/repo/file.gguf, with @revision after it if wanted"
        )
    paths = shard_names(match["path"])
    file = CardFile(
        quant="", repo=match["repo"], revision=match["revision"], paths=paths, sha256=(None,) * len(paths)
    )
    return Spec(text=text, files=(file,))
