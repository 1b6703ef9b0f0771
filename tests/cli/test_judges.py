"""A judge that is not there, or is none, ends the command with one sentence and exit 4."""

import os
from pathlib import Path
from typing import Any

import pytest

from judgecli.backends.scripted import WordTokenizer
from tests.conftest import Judge
from tests.gguf_files import Tensor, gguf_bytes, model_metadata, write_gguf
from tests.judging import Done, script, two_files
from tests.registry.layout import JUDGELM, JUDGELM_Q4, cached

LFS_POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n"
WHOLE = gguf_bytes(tensors=[Tensor("token_embd.weight", (4096, 16))])


@pytest.fixture(autouse=True)
def inputs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HOME", str(folder / "hf"))
    two_files(folder, ["x"], ["y"])


def refused(done: Done, code: int = 4) -> str:
    assert (done.code, done.out) == (code, "")
    assert len(done.err.splitlines()) == 1
    return done.sentence


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (LFS_POINTER, "this is a Git LFS pointer, not the model"),
        (WHOLE[:1000], f"truncated: header wants {len(WHOLE):,} bytes, file has 1,000"),
        (WHOLE[: len(WHOLE) // 2], f"truncated: header wants {len(WHOLE):,} bytes, file has"),
        (b"", "empty"),
        (b"PK\x03\x04 a zip archive", "not a GGUF file"),
        (bytes(range(64)), "not a GGUF file"),
        (gguf_bytes(model_metadata("bert")), "bert is not a model that writes text"),
        (
            gguf_bytes(model_metadata("qwen3", qwen3__pooling_type=3)),
            "an embedding model (qwen3) cannot judge",
        ),
        (gguf_bytes(tensors=[]), "a vocabulary without weights cannot judge"),
    ],
)
def test_a_file_that_is_no_judge(judge: Judge, folder: Path, data: bytes, sentence: str) -> None:
    (folder / "m.gguf").write_bytes(data)
    said = refused(judge("pair", "a.jsonl", "b.jsonl", "--model", "m.gguf"))
    assert said.startswith("m.gguf: ")
    assert sentence in said
    assert not list(folder.glob("*.judge.jsonl"))


def test_llama_cpp_python_2104_a_failed_load_is_one_line_to_the_very_end(
    judge_process: Judge, folder: Path
) -> None:
    (folder / "m.gguf").write_bytes(LFS_POINTER)
    done = judge_process("pair", "a.jsonl", "b.jsonl", "--model", "m.gguf")
    assert (done.code, done.out) == (4, "")
    assert done.err == f"judge: {done.sentence}\n"
    assert "Git LFS pointer" in done.sentence


def test_a_missing_file_and_a_folder(judge: Judge, folder: Path) -> None:
    assert "m.gguf: no such file" in refused(judge("pair", "a.jsonl", "b.jsonl", "--model", "m.gguf"))
    (folder / "d.gguf").mkdir()
    assert "d.gguf: this is a directory" in refused(judge("pair", "a.jsonl", "b.jsonl", "--model", "d.gguf"))


def test_a_file_that_may_not_be_read(judge: Judge, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_gguf(folder / "m.gguf")
    path.chmod(0)
    really_open = Path.open

    def forbidden(self: Path, *arguments: Any, **more: Any) -> Any:
        if self.name == path.name:
            raise PermissionError(13, "Permission denied")
        return really_open(self, *arguments, **more)

    if os.access(path, os.R_OK):  # root may read anything
        monkeypatch.setattr(Path, "open", forbidden)
    said = refused(judge("pair", "a.jsonl", "b.jsonl", "--model", "m.gguf"))
    assert said.startswith("m.gguf: no permission to read it")


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("judgelm7b", "'judgelm7b' is no known model; did you mean judgelm-7b"),
        ("gpt-4", "'gpt-4' is no known model; "),
        ("judgelm-7b:Q9", "judgelm-7b has no quantization 'Q9'; there are"),
        ("judgelm-7b", "judgelm-7b:Q4_K_M is not in the cache; fetch it"),
        ("judgelm-13b", "No GGUF file of JudgeLM 13B is known"),
        ("hf:org/repo/m.gguf", "is not in the cache; fetch it with: judge pull hf:org/repo/m.gguf"),
        ("hf:nonsense", "write a hub file as hf:org/repo/file.gguf"),
        ("https://example.org/m.gguf", "URLs are not fetched"),
        ("scripted:", "a file's name is missing after scripted:"),
        ("scripted:missing.jsonl", "missing.jsonl: cannot read the script (No such file or directory)"),
        (r"C:\m\j.gguf", "no such file"),
    ],
)
def test_a_judge_that_is_not_here(judge: Judge, spec: str, sentence: str) -> None:
    assert sentence in refused(judge("pair", "a.jsonl", "b.jsonl", "--model", spec))


def test_no_judge_at_all_names_the_command_that_fetches_one(judge: Judge) -> None:
    said = refused(judge("pair", "a.jsonl", "b.jsonl"))
    assert "fetch one with `judge pull judgelm-7b`" in said
    assert "demo" in said


def test_an_empty_name_is_no_request_for_the_default(judge: Judge) -> None:
    assert "--model is empty" in refused(judge("pair", "a.jsonl", "b.jsonl", "--model", ""), code=2)


def test_a_card_whose_family_is_not_there_yet(
    judge: Judge, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("judgecli.run.judge_choice.prompts.family_names", lambda: ["chat"])
    expected = "judgelm-7b needs the prompt family 'judgelm', which this version of judgecli lacks"
    assert expected in refused(judge("pair", "a.jsonl", "b.jsonl", "--model", "judgelm-7b"))
    cached(JUDGELM, JUDGELM_Q4, gguf_bytes())
    assert expected in refused(judge("pair", "a.jsonl", "b.jsonl", "--model", "judgelm-7b"))
    assert expected in refused(judge("pair", "a.jsonl", "b.jsonl"))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--prompt", "judgelm2"), "no prompt family 'judgelm2'; there are auto-j, chat"),
        (("--prompt", "mine.toml"), "mine.toml: not a readable prompt family"),
        (("--prompt", "."), ".: not a readable prompt family"),
    ],
)
def test_an_unknown_prompt_family(
    judge: Judge, folder: Path, options: tuple[str, ...], sentence: str
) -> None:
    model = script(folder, "8 6")[:2]
    assert sentence in refused(judge("pair", "a.jsonl", "b.jsonl", *model, *options), code=3)


def test_a_template_where_none_is_used(judge: Judge, folder: Path) -> None:
    done = judge("pair", "a.jsonl", "b.jsonl", *script(folder, "8 6"), "--template", "chatml")
    assert "--template has no use with the prompt family 'judgelm'" in refused(done, code=2)


def test_more_context_than_the_judge_was_trained_for(
    judge: Judge, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(WordTokenizer, "n_ctx_train", 2048)
    done = judge("pair", "a.jsonl", "b.jsonl", *script(folder, "8 6"), "--n-ctx", 4096)
    assert "--n-ctx 4096 is more than the 2048 tokens that" in refused(done, code=2)


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        ("", "the script holds no rule"),
        ("8 6", "judge.jsonl:1: a rule must be a JSON object"),
        ("[1]", "judge.jsonl:1: a rule must be a JSON object, not [1]"),
        ('{"reply": "8 6"}\n{"answer": "8"}', "judge.jsonl:2: unknown key 'answer' in a rule; there are id,"),
        ('{"reply": 8}', "judge.jsonl:1: reply cannot be 8"),
        ('{"order": "ab"}', "judge.jsonl:1: order cannot be 'ab'"),
        ('{"seconds": -1}', "judge.jsonl:1: seconds cannot be -1"),
        ('{"seconds": NaN}', "judge.jsonl:1: seconds cannot be nan"),
        ('{"seconds": true}', "judge.jsonl:1: seconds cannot be True"),
        ('{"finish_reason": "end"}', "judge.jsonl:1: finish_reason cannot be 'end'"),
        ('{"matches": "("}', "judge.jsonl:1: matches is no regular expression"),
    ],
)
def test_a_script_that_is_wrong(judge: Judge, folder: Path, rule: str, sentence: str) -> None:
    (folder / "judge.jsonl").write_text(f"{rule}\n", encoding="utf-8")
    assert sentence in refused(judge("pair", "a.jsonl", "b.jsonl", "--model", "scripted:judge.jsonl"))


def test_the_input_is_checked_before_the_judge_is_looked_for(judge: Judge) -> None:
    assert "b2.jsonl: no such file" in refused(
        judge("pair", "a.jsonl", "b2.jsonl", "--model", "x.gguf"), code=3
    )
