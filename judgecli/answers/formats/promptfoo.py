"""promptfoo results (`-o results.json`): one object with an answer for each test, provider and prompt.

{"results": {"version": 3, "results": [{"testIdx": 0, "promptIdx": 0, "vars": {"question": "2+2?"},
 "prompt": {"raw": "2+2?", "label": "p"}, "provider": {"id": "model-a"}, "response": {"output": "4"}}]}}

`results.json#model-a` chooses by provider or by the prompt's label; `results.json#model-a#p` by both.
What was asked is the prompt as it was sent; where prompts are what is compared, in a file or between two, it
is the test's variables.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from judgecli.answers.containers import Row
from judgecli.answers.files import CHOICE
from judgecli.answers.layout import INSTRUCTION_NAMES, REFERENCE_NAMES, Format, Part, Role, Value
from judgecli.answers.loaded import Document
from judgecli.answers.paths import MISSING, look_up
from judgecli.answers.sorting_out import failures_said, grouped, message_of, text_at, without_failures
from judgecli.answers.texts import UnreadableValueError, json_text
from judgecli.answers.turns import chat_of
from judgecli.answers.wording import counted, listed, shown
from judgecli.errors import DataError

_RESULTS = "results.results"
_OUTPUT = "response.output"
_PROVIDER, _LABEL = "provider.id", "provider.label"
_COLUMN = "provider and prompt"
_QUESTIONS = tuple(f"vars.{name}" for name in INSTRUCTION_NAMES if name != "messages")
_RENDERED = "prompt.raw"


@dataclass(frozen=True, slots=True)
class _Column:
    """What a set of answers was given by: a provider with one of the prompts.

    `index` is promptfoo's own number of the column, where nothing else tells it from another one.
    """

    provider: str
    prompt: str
    id: str
    index: str = ""

    @property
    def asked(self) -> str:
        """What the prompt is called."""
        return f"{self.prompt} (column {self.index})" if self.index else self.prompt


def _claims(value: Value) -> bool:
    return isinstance(look_up(value, _RESULTS), list)


def _unfold(value: Value) -> list[Value]:
    rows = look_up(value, _RESULTS)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise UnreadableValueError(f"{_RESULTS} is not a list of objects, as it is in promptfoo's results")
    return rows


def _arrange(rows: Sequence[Row], choice: str | None) -> list[Part]:
    file = rows[0].source.file
    of_rows = _columns(rows)
    names = _names(dict.fromkeys(of_rows))
    by_index = {row.index: names[column] for row, column in zip(rows, of_rows, strict=True)}
    columns = grouped(rows, lambda row: by_index[row.index])
    wanted = list(columns) if choice is None else [_chosen(names, choice, file)]
    has_several = len(names) > 1
    models = {name: column.provider for column, name in names.items()}
    asked = _asked(rows)
    said = asked.notes(file)
    parts = []
    for name in wanted:
        where = f"{file}{CHOICE}{name}" if has_several else file
        named = [_with_model(row, name if has_several else models[name]) for row in columns[name]]
        kept, failed, reasons = without_failures(named, "testIdx", _failure)
        notes = (*failures_said(where, len(named), reasons, "test"), *said)
        said = ()  # it is of the file, not of one of its columns
        part_name = name if has_several else None
        parts.append(Part(rows=kept, name=part_name, failed=tuple(failed), notes=notes, layout=asked.layout))
    return parts


def _with_model(row: Row, model: str) -> Row:
    """Return a row that says what its model is called, where its provider's id does not."""
    if model == text_at(row, _PROVIDER):
        return row
    return Row({**row.value, _COLUMN: model}, row.source, row.index, row.repaired)


def _columns(rows: Sequence[Row]) -> list[_Column]:
    """Return the column of each row; promptfoo's number tells those apart that are called the same."""
    columns = [_column(row) for row in rows]
    seen = [
        (column, text_at(row, "testIdx") or str(index))
        for index, (row, column) in enumerate(zip(rows, columns, strict=True))
    ]
    twice = {column for (column, _), n in Counter(seen).items() if n > 1}
    return [
        replace(column, index=text_at(row, "promptIdx")) if column in twice else column
        for row, column in zip(rows, columns, strict=True)
    ]


def _column(row: Row) -> _Column:
    provider = row.value.get("provider")
    identifier = str(provider) if isinstance(provider, str) else text_at(row, _PROVIDER)
    label = text_at(row, "prompt.label") or f"prompt {text_at(row, 'promptIdx') or '0'}"
    return _Column(text_at(row, _LABEL) or identifier or "provider", shown(label), identifier)


def _names(columns: Iterable[_Column]) -> dict[_Column, str]:
    """Return what columns are called: by what tells them apart, provider, prompt or both."""
    columns = list(columns)
    providers = {(column.provider, column.id) for column in columns}
    if len({column.asked for column in columns}) == 1:
        names = {column: column.provider for column in columns}
    elif len(providers) == 1:
        names = {column: column.asked for column in columns}
    else:
        names = {column: f"{column.provider}{CHOICE}{column.asked}" for column in columns}
    shared = {name for name, n in Counter(names.values()).items() if n > 1}
    return {column: f"{name} ({column.id})" if name in shared else name for column, name in names.items()}


def _chosen(names: Mapping[_Column, str], choice: str, file: str) -> str:
    """Return the one column that a choice fits: its name, its provider's label or id, or its prompt's."""
    there = listed(names.values(), 12)
    if not choice:
        raise DataError(f"{file}{CHOICE}: {CHOICE} names no provider and no prompt; choose one of {there}")
    exact = [name for name in names.values() if name == choice]
    fitting = exact or [
        name
        for column, name in names.items()
        if choice in (column.provider, column.id, column.prompt, column.asked)
    ]
    if len(fitting) != 1:
        what = f"fits {listed(fitting)}" if fitting else "is neither a provider nor a prompt's label"
        raise DataError(f"{file}{CHOICE}{shown(choice)}: {shown(choice)} {what}; choose one of {there}")
    return fitting[0]


def _failure(row: Row) -> str | None:
    """Return why a test has no answer; an answer that failed promptfoo's own assertions is one."""
    output = look_up(row.value, _OUTPUT)
    if output is not MISSING and output is not None:
        return None
    errors = (row.value.get("error"), look_up(row.value, "response.error"))
    return next((said for error in errors if (said := message_of(error))), "no output")


def _prepare(value: Value) -> Value:
    """Put an output that is no text as its JSON text, and a prompt that is a chat as its messages."""
    prepared = {**value}
    output = look_up(value, _OUTPUT)
    if isinstance(output, dict | list):
        prepared[_OUTPUT] = json_text(output)
    messages = chat_of(look_up(value, _RENDERED))
    if messages is not None:
        prepared[_RENDERED] = messages
    return prepared


@dataclass(frozen=True, slots=True)
class _Asked:
    """How the rows of a file say what was asked, and in how many tests the prompts differ."""

    layout: Format
    n_different: int

    def notes(self, file: str) -> tuple[str, ...]:
        """Return what should be said of it."""
        if not self.n_different:
            return ()
        path = self.layout.roles[Role.INSTRUCTION][0]
        said = f"the prompts of {counted(self.n_different, 'test')} differ from column to column"
        return (f"{file}: {said}; the question is {path} (--instruction-field {_RENDERED} shows the prompt)",)


def _asked(rows: Sequence[Row]) -> _Asked:
    """Ask the prompt as it was sent where all columns of a test were sent the same, else its variables."""
    answered = [row for row in rows if _failure(row) is None]
    tests = grouped(answered, lambda row: text_at(row, "testIdx") or json_text(row.value.get("vars")))
    sent = [{text_at(row, _RENDERED) for row in test} - {""} for test in tests.values()]
    n_different = sum(len(prompts) > 1 for prompts in sent)
    is_sent = all(len(prompts) == 1 for prompts in sent)
    variables = tuple(_variables(rows[0].value))
    names = () if is_sent else variables
    asked = (*names, _RENDERED, *_QUESTIONS)
    roles = {**FORMAT.roles, Role.INSTRUCTION: asked}
    layout = replace(FORMAT, roles=roles, document=partial(_document, variables))
    return _Asked(layout, n_different if names else 0)


def _document(names: Sequence[str], value: Value) -> Document | None:
    """Return a test's variables and the question among them; None where they hold none."""
    variables = value.get("vars")
    texts = ((name, look_up(value, name)) for name in names)
    asked = ((name, text) for name, text in texts if isinstance(text, str) and text.strip())
    path, question = next(asked, (None, ""))
    if path is None or not isinstance(variables, Mapping):
        return None
    return Document(json_text(dict(sorted(variables.items()))), str(question), path)


def _variables(value: Value) -> Sequence[str]:
    """Return the variables that a test asks: the only one, whatever it is called, else usual names."""
    variables = value.get("vars")
    if isinstance(variables, Mapping) and len(variables) == 1:
        return (f"vars.{next(iter(variables))}",)
    return [path for path in _QUESTIONS if look_up(value, path) is not MISSING]


FORMAT = Format(
    claims=_claims,
    roles={
        Role.ID: ("testIdx",),
        Role.INSTRUCTION: (_RENDERED, *_QUESTIONS),
        Role.RESPONSE: (_OUTPUT,),
        Role.REFERENCE: tuple(f"vars.{name}" for name in REFERENCE_NAMES),
        Role.MODEL: (_COLUMN, _PROVIDER, "provider"),
        Role.FINISH_REASON: ("response.finishReason",),
    },
    prepare=_prepare,
    unfold=_unfold,
    arrange=_arrange,
)
