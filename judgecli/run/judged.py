"""One judgment of a run file, how it was asked for, and its prompt made again."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import judgecli
from judgecli import prompts
from judgecli.errors import DataError, UsageError
from judgecli.ledger import PlannedItem, read_ledger
from judgecli.prompts import Wrapper
from judgecli.run.fitting import shown_item
from judgecli.run.judge_choice import ChosenJudge
from judgecli.run.standing import HandedOn, Whose, standing
from judgecli.types import Judgment, Order, Prompt, VerdictPlace
from judgecli.types.paths import is_file


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """A judgment with the item it is about, and the header of its run, as if its judge were the only one.

    `handed_on` says that a stronger judge was to judge the item too, and `whose` of the two this judgment is.
    `is_torn`: the run file's last line was cut off, and is ignored.
    """

    run_file: Path
    header: Mapping[str, Any]
    planned: PlannedItem
    judgment: Judgment
    whose: Whose = Whose.FIRST
    handed_on: HandedOn | None = None
    is_torn: bool = False

    def recorded(self, part: str, name: str) -> Any:
        """Return what the header's part about the model or the prompt says; None where it says nothing."""
        table = self.header.get(part)
        return table.get(name) if isinstance(table, Mapping) else None

    def recorded_text(self, part: str, name: str) -> str | None:
        """Return a text of the header's part; None where it says nothing, or something else."""
        value = self.recorded(part, name)
        return value if isinstance(value, str) else None

    @property
    def has_reasons(self) -> bool:
        """Whether the run asked for more than verdicts."""
        is_first = self.recorded_text("prompt", "place") in {None, VerdictPlace.FIRST.value}
        return bool(self.header.get("reasons")) or not is_first

    def file(self, name: str, option: str) -> str:
        """Return the path of a file that the run was given, in the current folder or beside the run file.

        Raises:
            DataError: it is in neither.
        """
        for folder in (Path(), self.run_file.parent):
            if is_file(folder / name):
                return str(folder / name)
        message = (
            f"{self.run_file}: the judge was asked with {name}, which is neither here nor beside the run"
        )
        raise DataError(f"{message}; say where it is with {option}")

    def prompt_family(self) -> str:
        """Return the run's prompt family: its name, or the path of the user's own file.

        Raises:
            DataError: the header names none, or the file is not found.
        """
        name = self.recorded("prompt", "family")
        if not isinstance(name, str):
            raise DataError(f"{self.run_file}: its header names no prompt family; judge anew with --fresh")
        return name if name in prompts.family_names() else self.file(f"{name}.toml", "--prompt FILE")

    def prompt_file(self, kind: str) -> str | None:
        """Return the path of the rubric or the examples in the prompt, None where there were none.

        Raises:
            DataError: the file is not found.
        """
        held = self.recorded("prompt", kind)
        return self.file(str(held.get("file")), f"--{kind} FILE") if isinstance(held, Mapping) else None


def find_judgment(path: Path, item_id: str, order: str | None, whose: Whose | None = None) -> Judged:
    """Return the judgment of an item in an order; without one, in the first order that has a judgment.

    It is that of the judge whose verdict stands, or of the one of two that is asked for.

    Raises:
        DataError: it is not a run file, or has no such judgment; the sentence says what there is.
        UsageError: the item was not asked about in this order.
    """
    ledger = read_ledger(path)
    planned = next((one for one in ledger.planned if one.item.id == item_id), None)
    if planned is None:
        raise DataError(f"{path}: {_unknown(item_id, [one.item.id for one in ledger.planned])}")
    found = standing(ledger, planned, whose)
    judgment = found.judgments.get(_order(path, found.planned, found.judgments, order))
    if judgment is None:
        message = f"{path}: {item_id} has no judgment in the order {order} yet"
        raise DataError(f"{message}; the command that began the run goes on with it")
    return Judged(
        run_file=path,
        header=found.header,
        planned=found.planned,
        judgment=judgment,
        whose=found.whose,
        handed_on=found.handed_on,
        is_torn=ledger.torn_at is not None,
    )


def _unknown(item_id: str, known: Sequence[str]) -> str:
    close = difflib.get_close_matches(item_id, known, n=3)
    if close:
        hint = f"did you mean {' or '.join(map(repr, close))}?"
    else:
        hint = f"the first is {known[0]!r}" if known else "the run was stopped while its items were written"
    return f"no item has the id {item_id!r}; there are {len(known)}, {hint}"


def _order(
    path: Path, planned: PlannedItem, judgments: Mapping[Order, Judgment], wanted: str | None
) -> Order:
    item_id = planned.item.id
    if not planned.prompt_hashes:
        rules = " and ".join(sorted(set(planned.decided.values())))
        message = f"{path}: {item_id} was decided without the judge ({rules})"
        raise DataError(f"{message}, so there is nobody to talk to about it; name another with --id")
    asked = ", ".join(planned.prompt_hashes)
    if wanted is not None:
        order = next((one for one in planned.prompt_hashes if one == wanted.strip().upper()), None)
        if order is None:
            raise UsageError(f"--order {wanted}: {item_id} was asked about in {asked}; name one of these")
        return order
    if not judgments:
        message = f"{path}: {item_id} is not judged yet"
        raise DataError(f"{message}; the command that began the run goes on with it")
    return next(order for order in planned.prompt_hashes if order in judgments)


def judged_prompt(judged: Judged, judge: ChosenJudge, *, is_other: bool) -> Prompt:
    """Return the prompt that was judged, made again from the run file.

    Another judge may have another chat template; it is shown the same words in its own.

    Raises:
        DataError: it is not the same; the sentence says what differs.
    """
    order, wanted = judged.judgment.order, judged.judgment.prompt_hash
    item = shown_item(judged.planned)
    # a ranking cuts its prompts at more places, which their hashes tell
    for for_ranking in (False, True):
        prompt = prompts.render(
            judge.family, item, order, judge.template, asking=judge.asking, for_ranking=for_ranking
        )
        if prompt.hash == wanted:
            return prompt
    difference = _difference(judged, judge)
    if difference is None and is_other and judge.family.wrapper is Wrapper.CHAT:
        return prompt
    what = difference or f"judgecli {judgecli.__version__} makes it otherwise, or the chat template differs"
    message = f"{judged.run_file}: the prompt of {item.id} in the order {order} cannot be made again: {what}"
    made_by = judged.header.get("judgecli")
    raise DataError(f"{message}; use what the run was made with (judgecli {made_by}), or judge anew")


def _difference(judged: Judged, judge: ChosenJudge) -> str | None:
    """Return in which of what the header says about the prompt this judge's differs, in words."""
    family, name = judge.family, judged.recorded("prompt", "family")
    if isinstance(name, str) and name != family.name:
        return f"its prompt family is {name!r}, not {family.name!r}"
    if judged.recorded("prompt", "hash") != family.hash:
        held = f"SHA-256 {judged.recorded('prompt', 'hash')!s:.12}, here {family.hash:.12}"
        return f"the prompt family {family.name!r} is another version ({held}); give its file with --prompt"
    asked = judge.asking.recorded
    for name in ("rubric", "aspect", "cot", "shots"):
        held, here = judged.recorded("prompt", name), asked.get(name)
        if held != here:
            return f"{name} was {_told(held)} and is {_told(here)}"
    return None


def _told(value: Any) -> str:
    """Return what a header says in words; of a file its name and the beginning of its hash."""
    if isinstance(value, Mapping):
        return f"{value.get('file')} (SHA-256 {value.get('sha256')!s:.12})"
    return "nothing" if value is None else repr(value)
