import os
from pathlib import Path

import pytest

from judgecli.errors import ModelError
from judgecli.registry import Integrity, hashes, verify
from judgecli.registry.condition import ModelState, folder_state, model_state, models_here
from tests.gguf_files import gguf_bytes, write_gguf
from tests.registry.layout import JUDGELM, JUDGELM_Q4, JUDGELM_Q5, cached
from tests.registry.pulled import Heard

pytestmark = pytest.mark.usefixtures("caches")
MODEL = gguf_bytes()


def here(*, rehash: bool = False) -> dict[str, ModelState]:
    states = models_here(rehash=rehash)
    return {state.name: state for state in states if state.package is None}


def test_a_model_is_listed_before_anything_was_hashed(no_network: list[object]) -> None:
    entry = cached(JUDGELM, JUDGELM_Q4, MODEL)
    (state,) = here().values()
    assert (state.name, state.paths, state.size_bytes) == ("judgelm-7b:Q4_K_M", (entry,), len(MODEL))
    assert (state.integrity, state.damage, state.family, state.repo) == (None, None, "judgelm", JUDGELM)
    assert no_network == []


def test_a_remembered_hash_is_enough() -> None:
    entry = cached(JUDGELM, JUDGELM_Q4, MODEL)
    verify("judgelm-7b")
    assert here()["judgelm-7b:Q4_K_M"].integrity is Integrity.INTACT
    hashes.forget(entry)
    assert here()["judgelm-7b:Q4_K_M"].integrity is None


def test_without_rehash_no_model_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    cached(JUDGELM, JUDGELM_Q4, MODEL)

    def refuse(*_: object) -> str:
        raise AssertionError("a whole model was read")

    monkeypatch.setattr(hashes, "hash_file", refuse)
    assert len(here()) == 1


def test_a_truncated_model_is_damaged_at_once() -> None:
    entry = cached(JUDGELM, JUDGELM_Q4, MODEL)
    entry.resolve().write_bytes(MODEL[:-1])
    state = here()["judgelm-7b:Q4_K_M"]
    assert state.integrity is Integrity.DAMAGED
    assert "truncated" in str(state.damage)


def test_other_bytes_of_the_same_size_need_a_rehash() -> None:
    entry = cached(JUDGELM, JUDGELM_Q4, MODEL)
    cached(JUDGELM, JUDGELM_Q5, gguf_bytes(version=2))
    verify()
    status = entry.stat()
    entry.resolve().write_bytes(MODEL[:-1] + b"\x01")
    os.utime(entry.resolve(), ns=(status.st_atime_ns, status.st_mtime_ns))
    assert {state.integrity for state in here().values()} == {Integrity.INTACT}
    states = here(rehash=True)
    assert states["judgelm-7b:Q4_K_M"].integrity is Integrity.DAMAGED
    assert "SHA-256 is" in str(states["judgelm-7b:Q4_K_M"].damage)
    assert states["judgelm-7b:Q5_K_M"].integrity is Integrity.INTACT


def test_a_remembered_hash_that_is_not_the_cards_is_damage() -> None:
    entry = cached(JUDGELM, JUDGELM_Q4, MODEL)
    hashes.remember(entry, "0" * 64)
    assert here()["judgelm-7b:Q4_K_M"].integrity is Integrity.DAMAGED


def test_progress_hears_a_rehash() -> None:
    cached(JUDGELM, JUDGELM_Q4, MODEL)
    heard = Heard()
    model_state("judgelm-7b", rehash=True, progress=heard)
    assert heard.n_bytes == len(MODEL)


def test_a_file_of_ones_own(tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "m.gguf")
    assert model_state(str(path)).integrity is None
    state = model_state(str(path), rehash=True)
    assert (state.name, state.integrity, state.repo) == (str(path), Integrity.UNKNOWN, None)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("nothing", "no known model"),
        ("judgelm-7b", "judge pull judgelm-7b"),
        ("/no/such.gguf", "/no/such.gguf: no such file"),
    ],
)
def test_what_is_not_here_is_refused(text: str, words: str) -> None:
    with pytest.raises(ModelError, match=words):
        model_state(text)


def test_a_folder_that_is_there(tmp_path: Path) -> None:
    state = folder_state(tmp_path)
    assert (state.exists, state.is_writable) == (True, True)
    assert state.free_bytes is not None


def test_a_folder_that_can_be_made(tmp_path: Path) -> None:
    state = folder_state(tmp_path / "not" / "yet")
    assert (state.exists, state.is_writable) == (False, True)
    assert not (tmp_path / "not").exists()


def test_a_folder_below_a_file_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    assert not folder_state(tmp_path / "file" / "x").is_writable
    assert not folder_state(tmp_path / "file").exists


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_of_somebody_else(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    assert not folder_state(tmp_path).is_writable
    tmp_path.chmod(0o700)
