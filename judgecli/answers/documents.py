"""Answers to one document that was sent in other words: what to take for the question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from judgecli.answers.joining import response_key
from judgecli.answers.loaded import AnswerFile
from judgecli.answers.options import PairBy
from judgecli.answers.wording import counted
from judgecli.types import Response


def with_one_question(files: Sequence[AnswerFile], pair_by: PairBy) -> tuple[list[AnswerFile], list[str]]:
    """Return the files with the question that their documents hold, and a note, where their prompts differ.

    As they are where no prompt differs under an id of one document, or the instruction is what joins them.
    """
    n = 0 if pair_by is PairBy.INSTRUCTION else sum(1 for _ in _sent_otherwise(files))
    if not n:
        return list(files), []
    paths = dict.fromkeys(one.path for file in files for one in file.documents.values() if one.question)
    names = " and ".join(dict.fromkeys(file.file for file in files))
    note = f"{names}: the prompts of {counted(n, 'test')} differ from file to file; the question is "
    return [_asked_by_document(file) for file in files], [note + " or ".join(filter(None, paths))]


def _sent_otherwise(files: Sequence[AnswerFile]) -> Iterator[str]:
    """Yield the ids under which one document, which holds a question, was sent as different prompts."""
    by_id = [{row.id: row for row in file.responses if row.id in file.documents} for file in files]
    for name in by_id[0]:
        if name is None or not all(name in rows for rows in by_id):
            continue
        documents = {file.documents[name] for file in files}
        told = (rows[name] for rows in by_id if rows[name].instruction is not None)
        prompts = set(map(response_key, told))
        if len(documents) == 1 and next(iter(documents)).question and len(prompts) > 1:
            yield name


def _asked_by_document(file: AnswerFile) -> AnswerFile:
    return replace(file, responses=tuple(_asked(file, row) for row in file.responses))


def _asked(file: AnswerFile, row: Response) -> Response:
    document = file.documents.get(row.id or "")
    if document is None or not document.question:
        return row
    return replace(
        row,
        instruction=document.question,
        earlier_instructions=(),
        earlier_outputs=(),
        earlier_references=(),
    )
