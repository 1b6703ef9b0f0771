"""How the judge's engine is set up: on this machine in llama.cpp's own names, or behind an endpoint."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from judgecli.errors import UsageError

_MAX_DEVICES = 16  # llama_max_devices(): llama.cpp reads no share beyond them
_MAX_TIMEOUT_S = 86_400
_FLOATING = frozenset({"f32", "f16", "bf16"})


class CacheType(StrEnum):
    """The number format of the keys or values that are kept of every token."""

    F32 = "f32"
    F16 = "f16"
    BF16 = "bf16"
    Q8_0 = "q8_0"
    Q5_1 = "q5_1"
    Q5_0 = "q5_0"
    Q4_1 = "q4_1"
    Q4_0 = "q4_0"

    @property
    def is_quantized(self) -> bool:
        """Whether numbers share a scale in blocks."""
        return self.value not in _FLOATING


class SplitMode(StrEnum):
    """How a model is spread over several GPUs."""

    NONE = "none"
    LAYER = "layer"
    ROW = "row"


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineOptions:
    """How weights are loaded and evaluated; None leaves the choice to the engine.

    `n_gpu_layers` -1 is all of them, as None is where there is a GPU. `tensor_split` is each GPU's share of
    the model, in any unit; `parallel` is how many explanations are written at once, `prompts_per_call` how
    many prompts are evaluated together. `n_threads` and `parallel` do not change what a judge says; all else
    can, in a run's last bits.

    Of a judge behind an endpoint, `parallel` is how many requests are sent at once, `max_calls` how many
    HTTP requests a run may make (None: any number), `timeout_s` how long the endpoint may be silent (a whole
    reply may take ten times as long), and `price` what a million tokens of prompts and of completions cost,
    in any currency.
    """

    n_threads: int | None = None
    n_gpu_layers: int | None = None
    n_ubatch: int = 512
    type_k: CacheType = CacheType.F16
    type_v: CacheType = CacheType.F16
    flash_attn: bool = True
    split_mode: SplitMode = SplitMode.LAYER
    main_gpu: int = 0
    tensor_split: tuple[float, ...] = ()
    parallel: int | None = None
    prompts_per_call: int | None = None
    max_calls: int | None = None
    timeout_s: float = 120
    price: tuple[float, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what an engine would refuse, misread or die of, while no weights are loaded.

        Raises:
            UsageError: an option is out of its range, or two exclude each other.
        """
        _check_whole("--threads", self.n_threads, 1, 512)  # llama.cpp dies of 100,000
        _check_whole("--n-gpu-layers", self.n_gpu_layers, -1, 1_000_000)
        _check_whole("--n-ubatch", self.n_ubatch, 16, 8192)
        _check_whole("--main-gpu", self.main_gpu, 0, _MAX_DEVICES - 1)
        _check_whole("--parallel", self.parallel, 1, 128)
        _check_whole("--prompts-per-call", self.prompts_per_call, 1, 16)
        _check_whole("--max-calls", self.max_calls, 1, 1_000_000_000)
        if not 0 < self.timeout_s <= _MAX_TIMEOUT_S:
            raise UsageError(f"--timeout must be seconds, up to {_MAX_TIMEOUT_S:,}, not {self.timeout_s:g}")
        _check_price(self.price)
        _check_shares(self.tensor_split)
        if self.type_v.is_quantized and not self.flash_attn:
            message = f"--type-v {self.type_v} needs flash attention"
            raise UsageError(f"{message}; drop --no-flash-attn, or take f16 for the values")


def _check_whole(name: str, value: int | None, low: int, high: int) -> None:
    if value is None:
        return
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise UsageError(f"{name} must be a whole number from {low} to {high}, not {value!r}")


def _check_price(price: tuple[float, ...]) -> None:
    is_pair = len(price) in {0, 2} and all(math.isfinite(one) and one >= 0 for one in price)
    if not is_pair:
        named = ",".join(f"{one:g}" for one in price)
        raise UsageError(f"--price must be two prices for a million tokens, INPUT,OUTPUT, not {named}")


def _check_shares(shares: tuple[float, ...]) -> None:
    if not shares:
        return
    named = ",".join(f"{share:g}" for share in shares)
    if len(shares) > _MAX_DEVICES:
        raise UsageError(
            f"--tensor-split has {len(shares)} shares; llama.cpp knows {_MAX_DEVICES} GPUs at most"
        )
    if not all(math.isfinite(share) and share >= 0 for share in shares) or not any(shares):
        raise UsageError(f"--tensor-split must be shares from 0 up, not all of them 0, not {named}")
