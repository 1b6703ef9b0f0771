import pytest

from judgecli.errors import ModelError
from judgecli.registry import cards, plan_pull, pull, resolve, verify
from judgecli.registry.hub_cache import cache_folder, repo_folder
from tests.gguf_files import gguf_bytes, model_metadata, shard_bytes
from tests.registry.hub import COMMIT, FakeHub, Repo
from tests.registry.layout import JUDGELM, JUDGELM_Q4
from tests.registry.pulled import MODEL, SHA256, SPEC, VALID, Heard, refused


def test_a_whole_file(hub: FakeHub, repo: Repo) -> None:
    model = pull(SPEC)
    assert model.path.read_bytes() == MODEL
    assert (model.sha256, model.repo, model.revision) == (SHA256, "org/repo", COMMIT)
    assert model.path == repo_folder("org/repo") / "snapshots" / COMMIT / "m.gguf"
    assert model.path.resolve() == repo_folder("org/repo") / "blobs" / SHA256
    assert len(hub.downloads()) == 1


def test_a_pulled_model_needs_the_hub_no_more(
    hub: FakeHub, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    pull(SPEC)
    asked = len(hub.seen)
    assert resolve(SPEC).sha256 == pull(SPEC).sha256 == SHA256
    assert len(hub.seen) == asked
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    assert resolve(SPEC).sha256 == SHA256


def test_a_pulled_model_is_where_huggingface_hub_looks(repo: Repo) -> None:
    from huggingface_hub import scan_cache_dir, try_to_load_from_cache

    model = pull(SPEC)
    assert try_to_load_from_cache("org/repo", "m.gguf", cache_dir=cache_folder()) == str(model.path)
    found = scan_cache_dir(cache_folder())
    assert found.warnings == []
    assert found.size_on_disk == len(MODEL)


def test_without_links_the_file_itself_is_in_the_snapshot(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    # huggingface_hub issue 4915: links cannot be had everywhere
    for module in ("huggingface_hub.file_download", "judgecli.registry.pulling"):
        monkeypatch.setattr(f"{module}.are_symlinks_supported", lambda folder: False)
    model = pull(SPEC)
    assert not model.path.is_symlink()
    assert model.path.read_bytes() == MODEL
    files = [
        path for path in repo_folder("org/repo").rglob("*") if path.is_file() and path.stat().st_size > 100
    ]
    assert files == [model.path]
    assert [check.integrity.value for check in verify(SPEC)] == ["intact"]


def test_the_token_goes_to_the_hub_and_not_to_the_storage(
    hub: FakeHub, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.access = "gated"
    hub.readers.add(VALID)
    monkeypatch.setenv("HF_TOKEN", VALID)
    pull(SPEC)
    assert {seen.token for seen in hub.seen if seen.path.startswith("/org/repo/")} == {VALID}
    assert [seen.token for seen in hub.downloads()] == [None]


def test_the_plan_says_what_it_takes_before_anything_is_fetched(hub: FakeHub, repo: Repo) -> None:
    plan = plan_pull(SPEC)
    assert (plan.name, plan.total_bytes, plan.needed_bytes) == (SPEC, len(MODEL), len(MODEL))
    assert plan.free_bytes > 0
    assert [remote.sha256 for remote in plan.remotes] == [SHA256]
    assert plan.present is None
    assert hub.downloads() == []


def test_a_card_is_pulled_by_its_name(hub: FakeHub) -> None:
    hub.repos[JUDGELM] = Repo({JUDGELM_Q4: MODEL})
    assert pull("judgelm-7b").name == "judgelm-7b:Q4_K_M"
    assert resolve("judgelm-7b").repo == JUDGELM


def test_a_pull_takes_the_default_file_even_where_another_is_here(hub: FakeHub) -> None:
    names = {file.quant: file.paths[0] for file in cards()["judgelm-7b"].files}
    hub.repos[JUDGELM] = Repo({names["Q5_K_M"]: gguf_bytes(model_metadata(n_ctx=1)), JUDGELM_Q4: MODEL})
    pull("judgelm-7b:Q5_K_M")
    assert pull("judgelm-7b").name == "judgelm-7b:Q4_K_M"


def test_a_split_model(hub: FakeHub) -> None:
    shards = {f"q4/m-{number:05d}-of-00002.gguf": data for number, data in enumerate(shard_bytes(2), 1)}
    hub.repos["org/repo"] = Repo(shards)
    model = pull("hf:org/repo/q4/m-00002-of-00002.gguf")
    assert [path.read_bytes() for path in model.paths] == list(shards.values())
    assert model.path.name == "m-00001-of-00002.gguf"


def test_only_the_missing_shard_is_fetched(hub: FakeHub) -> None:
    shards = {f"m-{number:05d}-of-00002.gguf": data for number, data in enumerate(shard_bytes(2), 1)}
    hub.repos["org/repo"] = Repo(shards)
    spec = "hf:org/repo/m-00001-of-00002.gguf"
    pull(spec).paths[1].unlink()
    plan = plan_pull(spec)
    assert plan.needed_bytes == 0  # the blob is still there, only its entry is gone
    pull(spec)
    assert len(hub.downloads()) == 2


def test_a_named_revision(hub: FakeHub, repo: Repo) -> None:
    assert pull(f"{SPEC}@{COMMIT}").revision == COMMIT
    assert resolve(f"{SPEC}@{COMMIT}").path == resolve(SPEC).path


def test_a_wrong_hash_is_refused_and_deleted(hub: FakeHub, repo: Repo) -> None:
    hub.stated_sha256["m.gguf"] = "ab" * 32
    message = refused()
    assert SHA256 in message
    assert "ab" * 32 in message
    assert [path for path in repo_folder("org/repo").rglob("*") if path.is_file()] == []
    with pytest.raises(ModelError, match="not in the cache"):
        resolve(SPEC)


def test_a_file_that_the_card_knows_otherwise_is_not_fetched(hub: FakeHub) -> None:
    file = next(file for file in cards()["judgelm-7b"].files if file.quant == "Q2_K")
    hub.repos[JUDGELM] = Repo({file.paths[0]: MODEL})
    message = refused("judgelm-7b:Q2_K")
    assert SHA256 in message
    assert str(file.sha256[0]) in message
    assert hub.downloads() == []


def test_a_size_that_the_card_knows_otherwise_is_not_fetched(hub: FakeHub) -> None:
    file = next(file for file in cards()["judgelm-7b"].files if file.quant == "Q3_K_M")
    hub.repos[JUDGELM] = Repo({file.paths[0]: MODEL})
    hub.stated_sha256[file.paths[0]] = str(file.sha256[0])
    assert f"the card has 3,298,004,960 bytes, the hub {len(MODEL):,}" in refused("judgelm-7b:Q3_K_M")
    assert hub.downloads() == []


def test_a_file_without_a_stated_hash_is_kept_with_a_warning(hub: FakeHub, repo: Repo) -> None:
    repo.in_git = True
    heard = Heard()
    assert pull(SPEC, progress=heard).sha256 == SHA256
    assert heard.warnings == ["the hub states no SHA-256 for m.gguf; only its size was checked"]


def test_a_model_that_cannot_judge_is_refused_after_the_pull(hub: FakeHub) -> None:
    hub.repos["org/repo"] = Repo({"m.gguf": gguf_bytes(model_metadata("bert"))})
    assert "bert is not a model that writes text" in refused()


def test_a_damaged_model_in_the_cache_is_not_fetched_over(hub: FakeHub, repo: Repo) -> None:
    pull(SPEC).path.resolve().write_bytes(MODEL[:-200_000])
    assert "truncated" in refused()
    assert len(hub.downloads()) == 1
