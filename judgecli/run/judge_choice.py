"""Which judge is asked, and how: weights, prompt family, chat template, and the tokenizer to plan with."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from judgecli import prompts, registry
from judgecli.backends import backend_names, load_backend
from judgecli.errors import ModelError, UsageError
from judgecli.prompts import Asking, PromptFamily, Wrapper
from judgecli.registry import ResolvedModel
from judgecli.run.options import RunOptions
from judgecli.types import Tokenizer
from judgecli.types.headers import SCRIPTED

_LOCAL_WEIGHTS = "llama_cpp"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenJudge:
    """A judge before it is loaded. `module` is its backend, `template` the chat template's text."""

    name: str
    module: ModuleType
    path: Path
    weights: ResolvedModel | None
    family: PromptFamily
    asking: Asking
    template: str | None
    tokenizer: Tokenizer
    n_ctx_limit: int | None

    def recorded(self) -> dict[str, Any]:
        """Return what the run header says about the weights."""
        weights = self.weights
        if weights is None:
            # no hash: a script that was mended goes on in the same run file
            return {"name": self.name, "file": self.path.as_posix(), "sha256": None, "demo": False}
        card = weights.card
        return {
            "name": weights.name,
            "file": weights.path.name,
            "sha256": weights.sha256,
            "size_bytes": weights.size_bytes,
            "card": card.name if card else None,
            "licence": card.licence if card else None,
            "demo": bool(card and card.demo),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenBase:
    """The model that a judge was fine-tuned from, before it is loaded; `module` is its backend."""

    module: ModuleType
    weights: ResolvedModel

    def recorded(self) -> dict[str, Any]:
        """Return what the run header says about it."""
        weights = self.weights
        return {"name": weights.name, "file": weights.path.name, "sha256": weights.sha256}


def chosen_base(name: str) -> ChosenBase:
    """Find a base model by its name or path; it needs no prompt family, as nothing is asked of it.

    Raises:
        ModelError: it is unknown, missing or damaged.
    """
    return ChosenBase(module=load_backend(_LOCAL_WEIGHTS), weights=registry.resolve(name))


@contextmanager
def chosen_judge(options: RunOptions) -> Iterator[ChosenJudge]:
    """Find the judge that the options ask for and open its tokenizer; no weights are loaded yet.

    Raises:
        ModelError: the model is unknown, missing, damaged or lacks its prompt family.
        DataError: the prompt family's file is wrong.
    """
    family = _named_family(options)
    asking = _asking(options)
    module, path, weights = _find(options)
    card = weights.card if weights else None
    with _open_tokenizer(options, module, path) as tokenizer:
        if family is None:
            family = _fallback_family(path, tokenizer)
        template = None
        if family.wrapper is Wrapper.CHAT:
            template = (
                prompts.named_template(options.template) if options.template else tokenizer.chat_template
            )
        elif options.template:
            raise UsageError(f"--template has no use with the prompt family {family.name!r}; leave it out")
        limits = [n for n in (tokenizer.n_ctx_train, card.n_ctx if card else None) if n]
        yield ChosenJudge(
            name=options.model or (weights.name if weights else path.name),
            module=module,
            path=path,
            weights=weights,
            family=family,
            asking=asking,
            template=template,
            tokenizer=tokenizer,
            n_ctx_limit=min(limits, default=None),
        )


def _asking(options: RunOptions) -> Asking:
    """Return how the options vary the prompts; the files they name are read."""
    return Asking(
        rubric=prompts.read_rubric(Path(options.rubric)) if options.rubric else None,
        aspect=options.aspect,
        cot=options.cot,
        shots=prompts.read_shots(Path(options.shots)) if options.shots else None,
        reference_block=options.reference_block,
    )


def _find(options: RunOptions) -> tuple[ModuleType, Path, ResolvedModel | None]:
    if options.backend is not None:
        return load_backend(SCRIPTED), Path("backend"), None
    kind, rest = _backend_and_rest(options)
    if kind != _LOCAL_WEIGHTS:
        return load_backend(kind), Path(rest), None
    weights = registry.resolve(options.model) if options.model else registry.default_model()
    if weights is None:
        default = registry.DEFAULT_MODEL
        message = f"no judge model: fetch one with `judge pull {default}`, or name one with --model"
        raise ModelError(f"{message} (`--model demo` tries the tool with a judge at chance)")
    return load_backend(_LOCAL_WEIGHTS), weights.path, weights


def _backend_and_rest(options: RunOptions) -> tuple[str, str]:
    """Return the backend that a model's name begins with, and the rest; weights need no such beginning.

    Raises:
        ModelError: nothing follows after the backend's name.
    """
    kind, colon, rest = (options.model or "").partition(":")
    if not colon or kind not in backend_names():
        return _LOCAL_WEIGHTS, options.model or ""
    if not rest.strip():
        raise ModelError(f"a {'file' if kind == SCRIPTED else 'model'}'s name is missing after {kind}:")
    return kind, rest


def _open_tokenizer(options: RunOptions, module: ModuleType, path: Path) -> AbstractContextManager[Tokenizer]:
    opened: AbstractContextManager[Tokenizer] = (
        module.open_tokenizer(path) if options.backend is None else nullcontext(module.WordTokenizer())
    )
    return opened


def _named_family(options: RunOptions) -> PromptFamily | None:
    """Return the family asked for, or the card's own; None where neither names one.

    This comes before the weights: nobody should fetch gigabytes to learn that the family is not there.
    """
    if options.prompt:
        return prompts.load_family(options.prompt)
    kind, _ = _backend_and_rest(options)
    if options.backend is not None or kind != _LOCAL_WEIGHTS:
        return None
    card = registry.parse_spec(options.model or registry.DEFAULT_MODEL).card
    if card is None:
        return None
    if card.family not in prompts.family_names():
        message = f"{card.name} needs the prompt family {card.family!r}, which this version of judgecli lacks"
        raise ModelError(f"{message}; choose another model (`judge models ls`)")
    return prompts.load_family(card.family)


def _fallback_family(path: Path, tokenizer: Tokenizer) -> PromptFamily:
    """Return the family for weights that no card describes: their own chat template decides."""
    if tokenizer.chat_template:
        return prompts.load_family("chat")
    known = ", ".join(prompts.family_names())
    message = f"{path} has no chat template, so how to ask it is unknown"
    raise ModelError(f"{message}; name its prompt family with --prompt ({known}, or your own TOML file)")
