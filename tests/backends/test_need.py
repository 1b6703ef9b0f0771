"""What a judge takes: as llama.cpp says without allocating it, and by formula."""

import re
import resource
from collections.abc import Callable
from pathlib import Path

import pytest

from judgecli.backends.llama_cpp import fit
from judgecli.backends.llama_cpp.context import ContextOptions, LlamaContext
from judgecli.backends.llama_cpp.estimating import cache_bytes_per_token, estimate
from judgecli.backends.llama_cpp.fit import measure_need
from judgecli.backends.llama_cpp.gguf_contents import read_contents, shard_paths
from judgecli.backends.llama_cpp.library import captured_log
from judgecli.backends.llama_cpp.measuring import read_context_log
from judgecli.backends.llama_cpp.memory import DeviceMemory
from judgecli.backends.llama_cpp.model import LlamaModel
from judgecli.backends.llama_cpp.need import DeviceNeed, MemoryNeed, Method, assemble
from judgecli.errors import ModelError
from judgecli.types import EngineOptions, SplitMode
from tests.gguf_files import F16, Tensor, model_metadata, shard_bytes, write_7b, write_gguf
from tests.random_models import write_hybrid, write_recurrent, write_sliding_window

pytest.importorskip("llama_cpp")

MIB = 1024**2
ON_CPU = EngineOptions(n_gpu_layers=0)
PROMPT = ContextOptions(n_ctx=2048, n_seq_max=1)


@pytest.mark.demo
@pytest.mark.parametrize("is_unified", [True, False])
def test_measured_need_is_what_a_real_load_allocates(demo_path: Path, is_unified: bool) -> None:
    options = ContextOptions(n_ctx=4096, n_seq_max=8, kv_unified=is_unified)
    allocated = really_allocated(demo_path, options)
    need = measure_need(demo_path, [options], EngineOptions())
    assert need.method is Method.MEASURED
    parts = need.devices.values()
    assert sum(part.weights_bytes for part in parts) == pytest.approx(allocated["model"], rel=0.01)
    assert sum(part.cache_bytes for part in parts) == pytest.approx(allocated["KV"], rel=0.01)
    computing = allocated["compute"] + allocated["output"]
    assert sum(part.compute_bytes for part in parts) == pytest.approx(computing, rel=0.01)


@pytest.mark.parametrize("write", [write_sliding_window, write_recurrent, write_hybrid])
def test_caches_and_states_of_other_architectures(tmp_path: Path, write: Callable[..., Path]) -> None:
    path, options = write(tmp_path / "m.gguf", n_embd=512), ContextOptions(n_ctx=4096, n_seq_max=64)
    allocated = really_allocated(path, options)
    need = measure_need(path, [options], EngineOptions())
    assert need.method is Method.MEASURED
    cache_bytes = sum(part.cache_bytes for part in need.devices.values())
    assert cache_bytes == pytest.approx(allocated["KV"] + allocated["RS"], rel=0.01)


def really_allocated(path: Path, options: ContextOptions) -> dict[str, float]:
    """Load a model, and return the bytes of its buffers as llama.cpp's log has them."""
    with captured_log() as log, LlamaModel(path) as model, LlamaContext(model, options):
        pass
    sizes = dict.fromkeys(("model", "KV", "RS", "compute", "output"), 0.0)
    for device, kind, mib in re.findall(r"(\S+) +(\w+) buffer size = +([\d.]+) MiB", "".join(log)):
        # what is repacked for a CPU is in the mapped file too
        sizes[kind] += float(mib) * MIB if device not in {"CPU_REPACK", "AMX"} else 0
    return sizes


@pytest.mark.demo
def test_several_contexts_add_up(demo_path: Path) -> None:
    streams = ContextOptions(n_ctx=8 * 512, n_seq_max=8, kv_unified=False)
    both = measure_need(demo_path, [PROMPT, streams], ON_CPU)
    alone = [measure_need(demo_path, [one], ON_CPU).on("CPU") for one in (PROMPT, streams)]
    assert both.on("CPU").cache_bytes == sum(one.cache_bytes for one in alone)
    assert both.on("CPU").compute_bytes == sum(one.compute_bytes for one in alone)
    assert both.on("CPU").weights_bytes == alone[0].weights_bytes
    assert [context.n_streams for context in both.contexts] == [1, 8]
    assert both.contexts[1].devices["CPU"].cache_bytes == alone[1].cache_bytes


class TestLlama7b:
    """Known numbers: 32 layers of 32 heads of 128, so 16 KiB of keys and values a layer and token in f16."""

    @pytest.fixture
    def path(self, tmp_path: Path) -> Path:
        return write_7b(tmp_path / "7b.gguf")

    def test_measured_without_taking_the_memory(self, path: Path) -> None:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        need = measure_need(path, [PROMPT, ContextOptions(n_ctx=14336, n_seq_max=1)], ON_CPU)
        grown_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        assert need.method is Method.MEASURED
        assert need.on("CPU").cache_bytes == 8 * 1024 * MIB
        # 6,738,149,376 weights of matrices at 4.5 bits, and 65 norms of 4096 in F32
        assert need.on("CPU").weights_bytes == 6_738_149_376 * 4.5 / 8 + 65 * 4096 * 4
        assert need.total_bytes == need.on("CPU").total_bytes
        assert grown_kib < 200 * 1024

    def test_estimated_cache_is_half_a_mebibyte_a_token(self, path: Path) -> None:
        contents = read_contents(path)
        assert cache_bytes_per_token(contents, "f16", "f16") == MIB // 2
        assert cache_bytes_per_token(contents, "q8_0", "q8_0") == MIB // 2 * 34 / 64
        assert cache_bytes_per_token(contents, "f32", "q4_0") == MIB // 2 * (4 + 18 / 32) / 4

    def test_estimate_is_close_to_what_llama_cpp_says(self, path: Path) -> None:
        contexts = [PROMPT, ContextOptions(n_ctx=4096, n_seq_max=4, kv_unified=False)]
        measured = measure_need(path, contexts, ON_CPU)
        estimated = estimate(read_contents(path), contexts, ON_CPU, ())
        assert estimated.method is Method.ESTIMATED
        assert estimated.on("CPU").cache_bytes == measured.on("CPU").cache_bytes
        assert estimated.on("CPU").weights_bytes == measured.on("CPU").weights_bytes
        assert estimated.on("CPU").compute_bytes == pytest.approx(measured.on("CPU").compute_bytes, rel=0.25)

    def test_bits_a_weight(self, path: Path, tmp_path: Path) -> None:
        assert read_contents(path).bits_per_weight == pytest.approx(4.5, abs=0.01)
        assert read_contents(write_7b(tmp_path / "f16.gguf", F16)).bits_per_weight == pytest.approx(
            16, abs=0.01
        )

    def test_formula_where_the_log_has_other_words(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(fit, "measure", lambda *_: None)
        need = measure_need(path, [PROMPT], ON_CPU)
        assert need.method is Method.ESTIMATED
        assert need.on("CPU").cache_bytes == 1024 * MIB

    def test_context_of_absurd_length_is_not_even_tried(self, path: Path) -> None:
        need = measure_need(path, [ContextOptions(n_ctx=2_000_000_000, n_seq_max=1)], ON_CPU)
        assert need.method is Method.ESTIMATED
        assert need.on("CPU").cache_bytes == 2_000_000_000 * MIB // 2


class TestGguf:
    def test_heads_may_differ_by_layer(self, tmp_path: Path) -> None:
        more = {"embedding_length": 256, "attention.head_count": 4, "attention.head_count_kv": [0, 2, 4]}
        metadata = model_metadata() | {f"llama.{key}": value for key, value in more.items()}
        layers = [Tensor(f"blk.{layer}.attn_k.weight") for layer in range(3)]
        contents = read_contents(write_gguf(tmp_path / "m.gguf", metadata, *layers))
        assert contents.n_head_kv == (0, 2, 4)
        assert cache_bytes_per_token(contents, "f16", "f16") == 6 * (64 + 64) * 2

    def test_lengths_of_keys_and_values_are_the_files_own(self, tmp_path: Path) -> None:
        more = {"embedding_length": 256, "attention.head_count": 4}
        more |= {"attention.key_length": 192, "attention.value_length": 128}
        metadata = model_metadata() | {f"llama.{key}": value for key, value in more.items()}
        contents = read_contents(write_gguf(tmp_path / "m.gguf", metadata, Tensor("blk.0.attn_k.weight")))
        assert cache_bytes_per_token(contents, "f16", "f16") == 4 * (192 + 128) * 2

    def test_all_shards_count(self, tmp_path: Path) -> None:
        shards = shard_bytes(3)
        for number, content in enumerate(shards, 1):
            (tmp_path / f"m-0000{number}-of-00003.gguf").write_bytes(content)
        first = tmp_path / "m-00001-of-00003.gguf"
        assert [path.name[2:7] for path in shard_paths(first)] == ["00001", "00002", "00003"]
        contents = read_contents(first)
        assert contents.file_bytes == sum(map(len, shards))
        assert dict(contents.layer_bytes) == {0: 128, 1: 128, 2: 128}

    def test_unreadable_file_is_named(self, tmp_path: Path) -> None:
        path = tmp_path / "m.gguf"
        path.write_bytes(b"GGUF" + bytes(20))
        with pytest.raises(ModelError, match=r"m\.gguf: llama\.cpp cannot read this file's header"):
            read_contents(path)


GPU_LOG = """\
llama_context:  CUDA_Host  output buffer size =     2.00 MiB
llama_kv_cache: layer   0: dev = CPU
llama_kv_cache: layer   1: dev = CUDA1
llama_kv_cache: layer   2: dev = CUDA10
llama_kv_cache: layer   3: dev = CUDA10
llama_kv_cache:      CUDA1 KV buffer size =     0.00 MiB
llama_kv_cache: size =  400.00 MiB (  2560 cells,   4 layers, 129/1 seqs), K (f16):  200.00 MiB
llama_memory_recurrent, layer   0: dev = CUDA1
llama_memory_recurrent: size =    8.00 MiB (   129 cells,   1 layers, 129 seqs  0 rs_seq), R (f32)
sched_reserve:      CUDA1 compute buffer size =   100.00 MiB
sched_reserve:     CUDA10 compute buffer size =    50.00 MiB
sched_reserve:  CUDA_Host compute buffer size =    10.00 MiB
"""


class TestGpus:
    def test_log_of_several_devices(self) -> None:
        context = read_context_log(GPU_LOG, n_streams=1, gpus=["CUDA1", "CUDA10"])
        assert context is not None
        assert context.devices == {
            "CPU": DeviceNeed(cache_bytes=100 * MIB, compute_bytes=12 * MIB),
            "CUDA1": DeviceNeed(cache_bytes=108 * MIB, compute_bytes=100 * MIB),
            "CUDA10": DeviceNeed(cache_bytes=200 * MIB, compute_bytes=50 * MIB),
        }

    @pytest.mark.parametrize("missing", ["size = ", "compute"])
    def test_log_in_other_words_says_nothing(self, missing: str) -> None:
        assert read_context_log(GPU_LOG.replace(missing, "?"), n_streams=1, gpus=["CUDA1"]) is None

    def test_weights_lie_where_their_layers_do(self, tmp_path: Path) -> None:
        tensors = [Tensor(f"blk.{layer}.attn_q.weight") for layer in range(3)]
        inputs = (Tensor("token_embd.weight", (64,)), Tensor("output_norm.weight"))
        contents = read_contents(write_gguf(tmp_path / "m.gguf", None, *inputs, *tensors))
        need = assemble(contents, {0: "CPU", 1: "CUDA0", 2: "CUDA0", 3: "CUDA0"}, [], Method.MEASURED)
        assert need.on("CPU").weights_bytes == 256 + 128
        # without an output matrix the GPU has a copy of the embeddings
        assert need.on("CUDA0").weights_bytes == 2 * 128 + 128 + 256
        assert [layer.device for layer in need.layers] == ["CPU", "CUDA0", "CUDA0", "CUDA0"]
        assert need.on("CUDA7") == DeviceNeed()

    @pytest.mark.parametrize(
        ("engine", "n_layers"),
        [
            (EngineOptions(), {"CPU": 0, "CUDA0": 11, "CUDA1": 22}),
            (EngineOptions(tensor_split=(2, 1)), {"CPU": 0, "CUDA0": 22, "CUDA1": 11}),
            (EngineOptions(n_gpu_layers=3), {"CPU": 30, "CUDA0": 1, "CUDA1": 2}),
            (EngineOptions(split_mode=SplitMode.NONE, main_gpu=1), {"CPU": 0, "CUDA0": 0, "CUDA1": 33}),
            (ON_CPU, {"CPU": 33, "CUDA0": 0, "CUDA1": 0}),
        ],
    )
    def test_estimate_places_layers_like_llama_cpp(
        self, tmp_path: Path, engine: EngineOptions, n_layers: dict[str, int]
    ) -> None:
        sizes = {"CUDA0": 10, "CUDA1": 20}
        gpus = [DeviceMemory(name=name, total_bytes=n, free_bytes=n) for name, n in sizes.items()]
        need = estimate(read_contents(write_7b(tmp_path / "7b.gguf")), [PROMPT], engine, gpus)
        assert {device: count(need, device) for device in n_layers} == n_layers


def count(need: MemoryNeed, device: str) -> int:
    return sum(layer.device == device for layer in need.layers)
