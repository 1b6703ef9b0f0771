"""Where a file keeps each field: the user's name, else the first usual name that is present."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from judgecli.answers.containers import Row
from judgecli.answers.layout import Role, Roles, Value
from judgecli.answers.options import Fields
from judgecli.answers.paths import MISSING, look_up
from judgecli.answers.texts import UnreadableValueError
from judgecli.answers.wording import fields_there, shown
from judgecli.errors import DataError

OPTIONS: Mapping[Role, str] = {
    Role.ID: "--id-field",
    Role.INSTRUCTION: "--instruction-field",
    Role.INPUT: "--input-field",
    Role.RESPONSE: "--response-field",
    Role.REFERENCE: "--reference-field",
    Role.MODEL: "--model-field",
    Role.RESPONSE_A: "--response-a-field",
    Role.RESPONSE_B: "--response-b-field",
}
_REQUIRED = frozenset({Role.RESPONSE, Role.RESPONSE_A, Role.RESPONSE_B})
_WORDS = {Role.RESPONSE: "answer", Role.RESPONSE_A: "first answer", Role.RESPONSE_B: "second answer"}


def role_word(role: Role) -> str:
    """Return what a role is called in a message."""
    return _WORDS.get(role, role.value.replace("_", " "))


def named_fields(fields: Fields) -> dict[Role, tuple[str, ...]]:
    """Return the fields that the user named, by role."""
    return {Role(role): paths for role, paths in fields.named()}


def present(paths: Sequence[str], value: Value) -> list[str]:
    """Return those of the paths that a row has, null or not."""
    return [path for path in paths if look_up(value, path) is not MISSING]


class FieldFinder:
    """Finds fields in the rows of one file, and keeps to what it found.

    A role is settled by the first row that has one of its names: a file does not change its layout
    halfway, and a row that lacks the settled answer field is an error, not a reason to guess again.
    """

    def __init__(self, roles: Roles, fields: Fields) -> None:
        self._named = named_fields(fields)
        self._roles = {**roles, **self._named}
        self.used: dict[Role, str] = {}

    @property
    def fields_used(self) -> dict[str, str]:
        """The field each role was read from, ids first."""
        return {role.value: self.used[role] for role in Role if role in self.used}

    def is_named(self, role: Role) -> bool:
        """Whether the user chose this role's field."""
        return role in self._named

    def path(self, role: Role) -> str:
        """Return the field a role is read from, for a message."""
        return self.used.get(role, role.value)

    def settle(self, rows: Sequence[Row]) -> None:
        """Choose each role's field once for all rows: the first usual name that any of them has."""
        for role, paths in self._roles.items():
            for path in paths:
                if any(look_up(row.value, path) is not MISSING for row in rows):
                    self.used[role] = path
                    break

    def find(self, role: Role, row: Row, value: Value) -> Any:
        """Return a role's value in a row; None where an optional field is absent.

        Raises:
            DataError: An answer is missing, or an id that the user named.
        """
        settled = self.used.get(role)
        for path in (settled,) if settled is not None else self._roles.get(role, ()):
            found = look_up(value, path)
            if found is not MISSING:
                self.used[role] = path
                return found
        if role in _REQUIRED or (role is Role.ID and self.is_named(role)):
            raise self._missing(role, row)
        return None

    def unreadable(self, role: Role, row: Row, error: UnreadableValueError) -> DataError:
        """Return the error for a value that cannot be read: place, field, reason, way out."""
        way_out = f"; another field can be named with {OPTIONS[role]}" if role in OPTIONS else ""
        return DataError(f"{row.where}: the {role_word(role)} ({self.path(role)}) {error}{way_out}")

    def _missing(self, role: Role, row: Row) -> DataError:
        paths = (self.used[role],) if role in self.used else self._named.get(role, ())
        name = f"no {role_word(role)} field{_quoted(paths)}"
        way_out = f"name it with {OPTIONS[role]}"
        if role is Role.RESPONSE:
            both = f"{OPTIONS[Role.RESPONSE_A]} and {OPTIONS[Role.RESPONSE_B]}"
            way_out += f", or with {both} where a row holds two"
        return DataError(f"{row.where}: {name}; {fields_there(row.value)}; {way_out}")


def _quoted(paths: Sequence[str]) -> str:
    return f" {' or '.join(repr(shown(path)) for path in paths)}" if paths else ""
