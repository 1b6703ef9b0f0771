"""The rows of one answer file to responses, and what should be said about them afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from judgecli.answers.containers import Row
from judgecli.answers.finding import OPTIONS, FieldFinder, present
from judgecli.answers.kept import named_metadata
from judgecli.answers.layout import Format, Holds, Role, Value, is_any_of
from judgecli.answers.loaded import Document, PairRow
from judgecli.answers.options import Fields
from judgecli.answers.paths import MISSING, look_up
from judgecli.answers.sorting_out import several_said
from judgecli.answers.texts import (
    UnreadableValueError,
    answer_text,
    id_text,
    instruction_text,
    is_conversation,
    kept_metadata,
    reference_texts,
    scalar_text,
)
from judgecli.answers.turns import (
    FIRST,
    LAST,
    Told,
    Turn,
    has_tools,
    questions_of,
    turns_of_answer,
    turns_of_answers,
    turns_of_messages,
    with_questions,
)
from judgecli.answers.wording import counted, listed
from judgecli.errors import DataError
from judgecli.types import Response

_ANSWERS = (Role.RESPONSE, Role.RESPONSE_A, Role.RESPONSE_B)


class RowReader:
    """Reads the rows of one file and counts what should be said about them afterwards.

    `wanted` is the index of the turn that is judged, -1 the last one; None leaves it to the format.
    """

    def __init__(self, layout: Format, first: Row, fields: Fields, wanted: int | None = None) -> None:
        self.finder = FieldFinder({**layout.roles, **layout.narrow(first.value)}, fields)
        self._layout = layout
        self._first = first
        self._file = first.source.file
        self._holds = Holds.ANSWER if self.finder.is_named(Role.RESPONSE) else layout.holds
        self._default = FIRST if self._holds is Holds.TURNS else LAST
        self._is_chosen = wanted is not None
        self._wanted = (0 if self._default == FIRST else -1) if wanted is None else wanted
        self._n_multi_turn = 0
        self._n_third = 0
        self._n_several = 0
        self._n_tools = 0
        self._repaired = False
        self._others: list[str] = []
        self._kept = fields.metadata
        self._fields_there: dict[str, None] = {}
        self.documents: dict[str, Document] = {}

    @property
    def turn(self) -> str | None:
        """The turn that was read where the caller left it to the format; None where no answer has two."""
        return self._default if self._n_multi_turn else None

    def read(self, rest: Iterator[Row]) -> Iterator[Response | PairRow]:
        """Yield what the first row holds, and then the others."""
        read_one = self._pair_row if self._layout.is_paired else self._response
        value = self._layout.prepare(self._first.value)
        yield read_one(self._first, value)
        self._others = self._other_answers(value)
        for row in rest:
            yield read_one(row, self._layout.prepare(row.value))
            self._count(row)
        self._count(self._first)

    @property
    def fields_there(self) -> tuple[str, ...]:
        """The names of all fields of the rows."""
        return tuple(self._fields_there)

    def _count(self, row: Row) -> None:
        self._fields_there.update(dict.fromkeys(row.value))
        self._repaired = self._repaired or row.repaired
        self._n_several += self._has_several(row)
        self._n_third += self._layout.is_paired and "answer3_body" in row.value

    def _other_answers(self, value: Value) -> list[str]:
        """Return the usual names of an answer that the row has besides those used, or messages with one."""
        roles = [role for role in _ANSWERS if not self.finder.is_named(role)]
        paths = [path for role in roles for path in self._layout.roles.get(role, ())]
        used = {self.finder.path(role) for role in _ANSWERS}
        asked = self.finder.used.get(Role.INSTRUCTION, "")
        if not self.finder.is_named(Role.RESPONSE) and _says_another(
            value, asked, self.finder.path(Role.RESPONSE)
        ):
            paths = [*paths, asked]
        return [path for path in present(paths, value) if path not in used]

    def _has_several(self, row: Row) -> bool:
        """Whether the row holds a list of answers of which the first is read."""
        before, is_first, _ = self.finder.path(Role.RESPONSE).rpartition("[0]")
        is_listed = bool(is_first) and not self.finder.is_named(Role.RESPONSE)
        return is_listed and look_up(row.value, f"{before}[1]") is not MISSING

    def notes(self) -> Iterator[str]:
        """Yield sentences on what a reader of the result should know about this file."""
        if self._n_multi_turn and not self._is_chosen:
            n = counted(self._n_multi_turn, "answer")
            others = "--turn 2 judges the second" if self._default == FIRST else "--turn judges another"
            yield f"{self._file}: {n} of two or more turns; the {self._default} turn is judged ({others})"
        if self._layout.holds is not self._holds:
            path = self.finder.path(Role.RESPONSE)
            yield f"{self._file}: answers are read from {path} as single turns; --turn judges one in place"
        if self._n_tools:
            n = counted(self._n_tools, "answer")
            yield f"{self._file}: {n} with calls of tools; what the tools said is not shown to the judge"
        yield from several_said(self._file, self._n_several, self.finder.path(Role.RESPONSE))
        if self._n_third:
            n = counted(self._n_third, "row")
            ranked = ", ".join(f"{self._file}#answer{number}" for number in (1, 2, 3))
            said = "with three or more answers; the first two are judged"
            yield f"{self._file}: {n} {said} (judge rank takes {ranked})"
        if self._others:
            roles = [role for role in _ANSWERS if role in self.finder.used]
            used = " and ".join(self.finder.path(role) for role in roles)
            options = " and ".join(OPTIONS[role] for role in roles)
            others = listed(self._others)
            yield f"{self._file}: answers are read from {used}; there is {others} too ({options})"
        if self._repaired:
            yield f"{self._file}: lone surrogates in its texts were replaced by U+FFFD"

    def _response(self, row: Row, value: Value) -> Response:
        response = self._made(row, value, Role.RESPONSE, Role.MODEL)
        document = self._layout.document(value)
        is_told = self.finder.is_named(Role.INSTRUCTION) and document is not None and document.question
        if document is not None and response.id is not None and not is_told:
            self.documents[response.id] = document
        return response

    def _pair_row(self, row: Row, value: Value) -> PairRow:
        return PairRow(
            first=self._made(row, value, Role.RESPONSE_A, Role.MODEL_A),
            second=self._made(row, value, Role.RESPONSE_B, Role.MODEL_B),
            gold=_label(self.finder.find(Role.GOLD, row, value)),
        )

    def _made(self, row: Row, value: Value, answer: Role, model: Role) -> Response:
        turns = self._turns(row, value, answer)
        turn, earlier = turns[-1], turns[:-1]
        instruction, extra = self._asked(row, value, turn.instruction)
        knows_earlier = any(one.instruction is not None for one in earlier)
        references = self._references(row, value, len(turns))
        return Response(
            output=turn.output or "",
            earlier_outputs=tuple(one.output or "" for one in earlier),
            source=row.source,
            id=self._id(row, value),
            instruction=instruction,
            earlier_instructions=tuple(one.instruction or "" for one in earlier) if knows_earlier else (),
            input=extra,
            reference=references[-1],
            earlier_references=references[:-1],
            model=self._text(model, row, value, scalar_text) or None,
            finish_reason=_finish_reason(self.finder.find(Role.FINISH_REASON, row, value)),
            metadata={**kept_metadata(value), **named_metadata(row, value, self._kept)},
        )

    def _id(self, row: Row, value: Value) -> str | None:
        found = self.finder.find(Role.ID, row, value)
        text = id_text(found)
        if text is None and self.finder.is_named(Role.ID):
            path = self.finder.path(Role.ID)
            raise DataError(f"{row.where}: the id ({path}) is neither a text nor a whole number")
        return text

    def _turns(self, row: Row, value: Value, answer: Role) -> list[Turn]:
        """Return the turns up to the one that is judged.

        Raises:
            DataError: There is no such turn, or it has no answer.
        """
        turns, n_given = self._all_turns(row, value, answer)
        self._n_multi_turn += len(turns) > 1
        at = len(turns) if self._wanted == -1 else self._wanted + 1
        if at <= n_given or at > len(turns):
            n = f"is that of turn {len(turns)}" if 0 < at <= n_given else f"has {counted(len(turns), 'turn')}"
            raise DataError(
                f"{row.where}: the answer ({self.finder.path(answer)}) {n}, and turn {max(at, 1)} is to be "
                "judged; choose a turn that every answer has with --turn"
            )
        if turns[at - 1].output is None:
            reason = UnreadableValueError("is a conversation that does not end with the assistant")
            raise self.finder.unreadable(answer, row, reason)
        return turns[:at]

    def _all_turns(self, row: Row, value: Value, answer: Role) -> tuple[list[Turn], int]:
        """Return all turns, and how many of them come with the question, which are not to be judged."""
        found = self.finder.find(answer, row, value)
        role = answer
        try:
            self._n_tools += has_tools(found)
            if self._holds is Holds.TURNS:
                turns = turns_of_answers(_expected(found, isinstance(found, list), "a list of turns"))
                role = Role.INSTRUCTION
                is_of_judged = self.finder.is_named(role)  # what the user names is asked in the judged turn
                asked = None if is_of_judged else self._readable(self.finder.find(role, row, value))
                return with_questions(turns, asked), 0
            if self._holds is Holds.MESSAGES:
                return turns_of_messages(_expected(found, is_conversation(found), "a list of messages")), 0
            said = turns_of_messages(found) if is_conversation(found) else answer_text(found)
            role = Role.INSTRUCTION
            asked = self._readable(self.finder.find(role, row, value))
            self._n_tools += has_tools(asked) and not has_tools(found)
            n_given = max(0, len(turns_of_messages(questions_of(asked))) - 1)
            return turns_of_answer(asked, found, said), n_given
        except UnreadableValueError as error:
            raise self.finder.unreadable(role, row, error) from error

    def _readable(self, asked: Any) -> Any:
        """Return what was asked; None for what is no text where a file of questions says it mostly."""
        if self.finder.is_named(Role.INSTRUCTION) or not self._layout.asked_apart:
            return asked
        try:
            if self._holds is Holds.TURNS:
                with_questions([], asked)
            else:
                turns_of_answer(asked, None, None)
        except UnreadableValueError:
            return None
        return asked

    def _asked(self, row: Row, value: Value, said: str | None) -> tuple[str | None, str | None]:
        """Return the instruction and the text it works on; `input` is that only beside `instruction`.

        Where the instruction is blank, as in one row of PandaLM's test set, its input is what was asked. An
        instruction field that the user named goes before what a conversation says.
        """
        instruction = said
        if self._holds is not Holds.ANSWER and self.finder.is_named(Role.INSTRUCTION):
            instruction = self._text(Role.INSTRUCTION, row, value, instruction_text) or said
        if self.finder.used.get(Role.INSTRUCTION) != "instruction" and not self.finder.is_named(Role.INPUT):
            return instruction, None
        extra = self._text(Role.INPUT, row, value, instruction_text)
        return (instruction, extra) if instruction else (extra, None)

    def _references(self, row: Row, value: Value, n_turns: int) -> tuple[str | None, ...]:
        """Return a reference for each turn; a single one is that of the turn that is judged."""
        found = self.finder.find(Role.REFERENCE, row, value)
        path = self.finder.path(Role.REFERENCE)
        by_turn = isinstance(found, list) and (self._holds is not Holds.ANSWER or n_turns > 1)
        try:
            texts = reference_texts(found, path, any_of=is_any_of(path), by_turn=by_turn)
        except UnreadableValueError as error:
            raise self.finder.unreadable(Role.REFERENCE, row, error) from error
        return Told(texts, by_turn=by_turn).up_to(n_turns)

    def _text(self, role: Role, row: Row, value: Value, convert: Callable[[Any], str | None]) -> str | None:
        found = self.finder.find(role, row, value)
        try:
            return convert(found)
        except UnreadableValueError as error:
            raise self.finder.unreadable(role, row, error) from error


def _says_another(value: Value, asked: str, answer: str) -> bool:
    """Whether the messages of what was asked end with an answer, and with another one than is read."""
    messages = look_up(value, asked)
    if not is_conversation(messages) or messages[-1]["role"] != "assistant":
        return False
    return bool(messages[-1].get("content") != look_up(value, answer))


def _expected(found: Any, is_so: bool, what: str) -> Any:
    if not is_so:
        raise UnreadableValueError(f"is not {what}")
    return found


def _label(value: Any) -> str | None:
    """Return a label as written; what cannot be one is kept as a text that no label equals."""
    try:
        return scalar_text(value)
    except UnreadableValueError as error:
        return str(error)


def _finish_reason(value: Any) -> str | None:
    return str(value) if isinstance(value, str) and value else None
