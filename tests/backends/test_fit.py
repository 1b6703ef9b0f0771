"""Refusals before loading: what is needed, what there is, and a way out that is enough."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from judgecli.backends.llama_cpp import fit
from judgecli.backends.llama_cpp.context import ContextOptions
from judgecli.backends.llama_cpp.estimating import estimate
from judgecli.backends.llama_cpp.fit import check_fit, choose_parallel, fit_parallel, measure_need
from judgecli.backends.llama_cpp.gguf_contents import read_contents
from judgecli.backends.llama_cpp.memory import DeviceMemory, Memory
from judgecli.errors import ModelError
from judgecli.types import CacheType, EngineOptions
from tests.gguf_files import F16, Q4_K, write_7b

pytest.importorskip("llama_cpp")

GIB = 1024**3
N_CTX, BRANCH_CELLS = 2048, 512


def contexts_for(
    n_streams: int, n_ctx: int = N_CTX, engine: EngineOptions = EngineOptions()
) -> list[ContextOptions]:
    """Return the contexts of a run: prompt and branches, and a stream for each explanation."""
    types = {"type_k": engine.type_k, "type_v": engine.type_v, "flash_attn": engine.flash_attn}
    prompt = ContextOptions(n_ctx=n_ctx + BRANCH_CELLS, n_seq_max=129, **types)
    streams = ContextOptions(n_ctx=n_streams * n_ctx, n_seq_max=n_streams, kv_unified=False, **types)
    return [prompt, streams] if n_streams else [prompt]


def memory(
    total_gib: float, *, free_gib: float | None = None, gpus_gib: Sequence[float] = (), **more: bool
) -> Memory:
    free = int((total_gib if free_gib is None else free_gib) * GIB)
    gpus = tuple(
        DeviceMemory(name=f"CUDA{index}", total_bytes=int(size * GIB), free_bytes=int(size * GIB))
        for index, size in enumerate(gpus_gib)
    )
    host = DeviceMemory(name="CPU", total_bytes=int(total_gib * GIB), free_bytes=free, **more)
    return Memory(host=host, gpus=gpus)


class Judge7b:
    """A LLaMA 7B in a file without data, to be checked against memory that is not there either."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def check(
        self,
        there: Memory,
        *,
        kind: int = Q4_K,
        n_streams: int = 0,
        n_ctx: int = N_CTX,
        engine: EngineOptions = EngineOptions(),
    ) -> str | None:
        path = write_7b(self.folder / "7b.gguf", kind)
        contexts = contexts_for(n_streams, n_ctx, engine)
        need = estimate(read_contents(path), contexts, engine, there.gpus)
        return check_fit(path, need, there, n_ctx=n_ctx, engine=engine)

    def refusal(self, there: Memory, **settings: object) -> str:
        with pytest.raises(ModelError) as caught:
            self.check(there, **settings)  # type: ignore[arg-type]
        return str(caught.value)


@pytest.fixture
def judge_7b(tmp_path: Path) -> Judge7b:
    return Judge7b(tmp_path)


class TestOnTheHost:
    def test_what_fits_is_silent(self, judge_7b: Judge7b) -> None:
        assert judge_7b.check(memory(8)) is None

    def test_sentence_names_all_that_is_needed(self, judge_7b: Judge7b) -> None:
        sentence = judge_7b.refusal(memory(8), kind=F16)
        assert sentence.startswith(str(judge_7b.folder / "7b.gguf"))
        needed = "needs about 13.9 GiB of memory (weights 12.6, KV cache 1.2, computing 0.1)"
        assert needed in sentence
        assert "and this machine has 8.0 GiB; " in sentence

    def test_measured_sizes_are_not_called_about(self, tmp_path: Path) -> None:
        path = write_7b(tmp_path / "7b.gguf")
        on_cpu = EngineOptions(n_gpu_layers=0)
        need = measure_need(path, contexts_for(0), on_cpu)
        with pytest.raises(ModelError, match=r"needs 4\.9 GiB of memory"):
            check_fit(path, need, memory(4), n_ctx=N_CTX, engine=on_cpu)

    def test_container_is_called_one(self, judge_7b: Judge7b) -> None:
        assert "this container may use 4.0 GiB" in judge_7b.refusal(memory(4, is_container=True))

    def test_only_a_warning_where_less_is_free_at_the_moment(self, judge_7b: Judge7b) -> None:
        warning = judge_7b.check(memory(8, free_gib=3))
        assert warning is not None
        assert "3.0 GiB are free at the moment" in warning

    def test_unknown_memory_refuses_nothing(self, judge_7b: Judge7b) -> None:
        nothing = DeviceMemory(name="CPU", total_bytes=None, free_bytes=None)
        assert judge_7b.check(Memory(host=nothing), kind=F16, n_ctx=100_000) is None


class TestWayOut:
    def test_large_weights_call_for_a_smaller_quantization(self, judge_7b: Judge7b) -> None:
        sentence = judge_7b.refusal(memory(8), kind=F16)
        assert sentence.endswith("; use a smaller quantization (Q4_K_M would need 5.2 GiB)")

    def test_small_weights_call_for_a_smaller_model(self, judge_7b: Judge7b) -> None:
        assert judge_7b.refusal(memory(3)).endswith("; use a smaller model")

    def test_weights_and_cache_together(self, judge_7b: Judge7b) -> None:
        sentence = judge_7b.refusal(memory(6), kind=F16, n_ctx=8000)
        assert "; use a smaller quantization such as Q4_K_M and lower --n-ctx to 3584" in sentence
        assert judge_7b.check(memory(6), n_ctx=3584) is None

    def test_streams_first_where_they_are_what_is_too_much(self, judge_7b: Judge7b) -> None:
        sentence = judge_7b.refusal(memory(8), n_streams=8)
        assert "; lower --parallel to 2, or " in sentence
        assert judge_7b.check(memory(8), n_streams=2) is None

    def test_context_that_fits_is_named(self, judge_7b: Judge7b) -> None:
        assert "; lower --n-ctx to 4096, or " in judge_7b.refusal(memory(6), n_ctx=8000)
        assert judge_7b.check(memory(6), n_ctx=4096) is None

    def test_cache_types_that_fit_are_named(self, judge_7b: Judge7b) -> None:
        assert judge_7b.refusal(memory(6), n_ctx=8000).endswith("or use --type-k q8_0 --type-v q8_0")
        quantized = EngineOptions(type_k=CacheType.Q8_0, type_v=CacheType.Q8_0)
        assert judge_7b.check(memory(6), n_ctx=8000, engine=quantized) is None

    @pytest.mark.parametrize(
        "engine",
        [EngineOptions(type_k=CacheType.Q8_0, type_v=CacheType.Q8_0), EngineOptions(flash_attn=False)],
    )
    def test_cache_types_are_not_offered_where_they_do_not_help(
        self, judge_7b: Judge7b, engine: EngineOptions
    ) -> None:
        sentence = judge_7b.refusal(memory(5), n_ctx=8000, engine=engine)
        assert "--n-ctx" in sentence
        assert "--type-k" not in sentence

    def test_absurd_context(self, judge_7b: Judge7b) -> None:
        sentence = judge_7b.refusal(memory(24), n_ctx=2_000_000_000)
        assert sentence.endswith("this machine has 24.0 GiB; lower --n-ctx")


class TestOnGpus:
    def test_free_memory_of_a_gpu_is_the_limit(self, judge_7b: Judge7b) -> None:
        assert judge_7b.check(memory(64, gpus_gib=[8])) is None
        sentence = judge_7b.refusal(memory(64, gpus_gib=[4]))
        assert "needs about 4.8 GiB on CUDA0 (weights 3.5, KV cache 1.2, computing 0.1)" in sentence
        assert "and 4.0 GiB are free there; " in sentence

    def test_layers_that_fit_are_named(self, judge_7b: Judge7b) -> None:
        assert "; use --n-gpu-layers 23" in judge_7b.refusal(memory(64, gpus_gib=[4]))
        assert judge_7b.check(memory(64, gpus_gib=[4]), engine=EngineOptions(n_gpu_layers=23)) is None

    def test_every_gpu_must_have_room(self, judge_7b: Judge7b) -> None:
        engine = EngineOptions(tensor_split=(1, 1))
        assert judge_7b.check(memory(64, gpus_gib=[4, 4]), engine=engine) is None
        sentence = judge_7b.refusal(memory(64, gpus_gib=[8, 2]), engine=engine)
        assert "on CUDA1" in sentence
        assert "; use --n-gpu-layers 20" in sentence
        fewer = EngineOptions(tensor_split=(1, 1), n_gpu_layers=20)
        assert judge_7b.check(memory(64, gpus_gib=[8, 2]), engine=fewer) is None

    def test_layers_are_not_moved_where_the_host_has_no_room(self, judge_7b: Judge7b) -> None:
        sentence = judge_7b.refusal(memory(1, gpus_gib=[4]), kind=F16)
        assert "--n-gpu-layers" not in sentence

    def test_host_is_checked_too(self, judge_7b: Judge7b) -> None:
        engine = EngineOptions(n_gpu_layers=1)
        assert "of memory" in judge_7b.refusal(memory(3, gpus_gib=[8]), engine=engine)


class TestParallel:
    @pytest.mark.parametrize(("device", "n"), [("CPU", 8), ("CUDA0", 32)])
    def test_as_many_as_pay_where_all_fit(self, device: str, n: int) -> None:
        known = choose_parallel(None, bytes_per_stream=GIB, available_bytes=100 * GIB, device=device)
        assert known == n
        assert choose_parallel(None, bytes_per_stream=GIB, available_bytes=None, device=device) == n

    @pytest.mark.parametrize(("available", "n"), [(7.9, 7), (1, 1), (0.5, 1), (-3, 1)])
    def test_fewer_where_memory_is_short_but_at_least_one(self, available: float, n: int) -> None:
        available_bytes = int(available * GIB)
        assert choose_parallel(None, bytes_per_stream=GIB, available_bytes=available_bytes, device="CPU") == n

    def test_a_request_is_taken_as_it_is(self) -> None:
        assert choose_parallel(64, bytes_per_stream=GIB, available_bytes=GIB, device="CPU") == 64

    @pytest.mark.parametrize(("free_gib", "n"), [(32, 8), (8, 3), (2, 1)])
    def test_number_fits_with_all_else(self, tmp_path: Path, free_gib: float, n: int) -> None:
        path, there = write_7b(tmp_path / "7b.gguf"), memory(64, free_gib=free_gib)
        parallel, need = fit_parallel(path, contexts_for, EngineOptions(n_gpu_layers=0), there)
        assert parallel == n
        assert need.contexts[1].n_streams == n
        # the prompt's context, and 1 GiB a stream
        assert need.on("CPU").cache_bytes == (n + 1.25) * GIB

    def test_number_fits_on_every_gpu(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        there = memory(64, gpus_gib=[16, 8])
        monkeypatch.setattr(fit, "measure", lambda *_: None)
        monkeypatch.setattr(fit, "gpu_memory", lambda: there.gpus)
        engine = EngineOptions(tensor_split=(1, 1))
        parallel, need = fit_parallel(write_7b(tmp_path / "7b.gguf"), contexts_for, engine, there)
        assert need.on("CUDA1").total_bytes <= 8 * GIB
        assert 8 * GIB - need.on("CUDA1").total_bytes < GIB
        assert 8 < parallel < 32

    def test_requested_number_is_measured(self, tmp_path: Path) -> None:
        engine = EngineOptions(n_gpu_layers=0, parallel=2)
        path = write_7b(tmp_path / "7b.gguf")
        parallel, need = fit_parallel(path, contexts_for, engine, memory(1))
        assert (parallel, need.contexts[1].n_streams) == (2, 2)
