"""A model's own chat template around a judge's words, with nothing of an answer passing through it.

The template is rendered with sentinels in place of the messages; what comes out between them is markup, whose
control tokens the tokenizer finds by their spelling, and the messages go in as text.
"""

from __future__ import annotations

import re
from datetime import datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, NoReturn

from judgecli.errors import ModelError
from judgecli.types import Piece, PieceKind
from judgecli.types.paths import is_file

_SYSTEM, _USER = "\ue000judge-system\ue001", "\ue000judge-user\ue001"
_REPLY, _QUESTION = "\ue000judge-reply\ue001", "\ue000judge-question\ue001"
_TEMPLATES = Path(__file__).parent / "templates"
# A prompt must not change overnight; this is the date that Llama 3's own template falls back to.
_PINNED_DATE = datetime(2024, 7, 26)  # noqa: DTZ001 - a calendar date, not an instant


def named_template(name: str) -> str:
    """Return the Jinja text of a template shipped with judgecli, or of a file.

    Raises:
        ModelError: there is no such template.
    """
    path = _TEMPLATES / f"{name}.jinja"
    if not is_file(path):
        path = Path(name)
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        known = ", ".join(sorted(file.stem for file in _TEMPLATES.glob("*.jinja")))
        raise ModelError(f"no chat template {name!r}: name one of {known}, or a Jinja file") from error


def wrap_in_template(
    template: str, system: str, user: list[Piece], assistant_prefix: str
) -> tuple[Piece, ...]:
    """Return the pieces of a prompt: template markup, system text, the user's pieces, the begun reply.

    A template that refuses or drops a system message gets its text at the front of the user's turn.

    Raises:
        ModelError: the template cannot be rendered, or drops the user's message.
    """
    rendered = _render(template, (("system", _SYSTEM), ("user", _USER))) if system else None
    if rendered is not None and _SYSTEM in rendered and _USER in rendered:
        return _pieces(rendered, {_SYSTEM: [Piece(text=system)], _USER: user}, assistant_prefix)
    rendered = _render(template, (("user", _USER),))
    if rendered is None or _USER not in rendered:
        raise ModelError(
            "the model's chat template does not take a user message; give another with --template"
        )
    opening = [Piece(text=f"{system}\n\n", cut=True)] if system else []
    return _pieces(rendered, {_USER: [*opening, *user]}, assistant_prefix)


def further_turn(template: str, end_of_text: str) -> tuple[str, str]:
    """Return a template's markup between a reply and a further question, and between that and its reply.

    `end_of_text` is the spelling of the token that ends a text, which some templates write after a reply.

    Raises:
        ModelError: the template cannot be rendered, or takes no second question.
    """
    # no system text: some templates move it to the last question
    messages = (("user", _USER), ("assistant", _REPLY), ("user", _QUESTION))
    _, has_reply, after = (_render(template, messages, end_of_text) or "").partition(_REPLY)
    before, has_question, opening = after.partition(_QUESTION)
    if not has_reply or not has_question:
        message = "the model's chat template takes no second question, so it cannot be asked about a judgment"
        raise ModelError(f"{message}; give another with --template")
    return before, _close_thinking(opening)


def _pieces(rendered: str, messages: dict[str, list[Piece]], assistant_prefix: str) -> tuple[Piece, ...]:
    pieces: list[Piece] = []
    for part in re.split(f"({re.escape(_SYSTEM)}|{re.escape(_USER)})", _close_thinking(rendered)):
        if part in messages:
            pieces.extend(messages[part])
        elif part:
            # the markup before the user's words is the same for every pair: its end is a cut
            before_user = bool(pieces) and not any(piece.cut for piece in pieces)
            pieces.append(Piece(text=part, kind=PieceKind.MARKUP, cut=before_user))
    if assistant_prefix:
        pieces.append(Piece(text=assistant_prefix))
    return tuple(pieces)


def _close_thinking(rendered: str) -> str:
    """Close a thinking block that the template opens, so that the reply begins outside it."""
    stripped = rendered.rstrip()
    return f"{stripped}\n\n</think>\n\n" if stripped.endswith("<think>") else rendered


@lru_cache(maxsize=16)
def _render(template: str, messages: tuple[tuple[str, str], ...], end_of_text: str = "") -> str | None:
    """Render a template; None where it refuses these messages. The same for every pair, so done once."""
    import jinja2  # noqa: PLC0415 - slow to import, and raw prompts need none
    from jinja2.sandbox import ImmutableSandboxedEnvironment  # noqa: PLC0415

    def refuse(message: str) -> NoReturn:
        raise jinja2.TemplateError(message)

    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
    )
    environment.globals.update(raise_exception=refuse, strftime_now=_PINNED_DATE.strftime)
    values: dict[str, Any] = {
        "messages": [{"role": role, "content": content} for role, content in messages],
        "add_generation_prompt": True,
        "enable_thinking": False,
        "bos_token": "",
        "eos_token": end_of_text,
        "tools": None,
        "date_string": _PINNED_DATE.strftime("%d %b %Y"),
    }
    try:
        return environment.from_string(template).render(values)
    except jinja2.TemplateSyntaxError as error:
        raise ModelError(
            f"the model's chat template is not valid ({error}); give another with --template"
        ) from error
    except (jinja2.TemplateError, TypeError, ValueError, LookupError, ArithmeticError):
        return None
