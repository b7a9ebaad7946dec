"""The source patch as data: what is replaced by what, in which of the two files.

Every edit can be undone: an old text and a new text each occur exactly once, so `undo` gives back the very bytes.
"""

from __future__ import annotations

from dataclasses import dataclass

from .plugin.releases import BACKEND, LAUNCHER, MARK


@dataclass(frozen=True)
class Edit:
    """One replacement.

    Attributes:
        name: What the edit is for.
        choices: Pairs of old and new text, one of which fits a release.
    """

    name: str
    choices: tuple[tuple[str, str], ...]


class EditError(Exception):
    """An edit finds its text not exactly once; the message names the edit."""


_PROBE = f'''def _gate_patch_probe(rows):
    """Say once a process that the 3D path serves more than one row ({MARK} probe)."""
    if not getattr(_gate_patch_probe, "fired", False):
        _gate_patch_probe.fired = True
        print(f"PROBE_3D_SPEC_ACTIVE max_seqlen_q={{rows}}", flush=True)


def unified_attention(
'''

_GATE = """        or max_seqlen_q > 1
        or num_seqs > seq_threshold_3D
        or is_batch_invariant
    )
"""


def _gate(kept_out: str) -> str:
    """Return the new gate; `kept_out` is what several rows must not be."""
    return f"""        # {MARK} a verify step is decode, and the buffers are indexed by token.
        or max_seqlen_q > decode_query_len
        or (max_seqlen_q > 1 and ({kept_out}))
        or min(
            softmax_segm_output.shape[0],
            softmax_segm_max.shape[0],
            softmax_segm_expsum.shape[0],
        )
        < q.shape[0]
        or num_seqs > seq_threshold_3D
        or is_batch_invariant
    )
    if use_3d and max_seqlen_q > 1:
        _gate_patch_probe(max_seqlen_q)
"""


_REDUCE = """    segm_max = tl.load(segm_max_ptr + segm_offset, mask=segm_mask, other=float("-inf"))
"""

_LAST_022 = "    use_td: bool = False,\n"
_LAST_025 = "    mm_prefix_clamp_sliding_window: bool = False,\n"
_PARAMETER = f"    decode_query_len: int = 1,  # {MARK} 1 is the stock gate\n"

_LAUNCHER_EDITS = (
    Edit("probe", (("def unified_attention(\n", _PROBE),)),
    Edit(
        "rows of a verify step reach the launcher",
        (
            (f"{_LAST_025}):\n", f"{_LAST_025}{_PARAMETER}):\n"),
            (f"{_LAST_022}):\n", f"{_LAST_022}{_PARAMETER}):\n"),
        ),
    ),
    Edit("gate", ((_GATE, ""),)),  # what replaces it depends on the release: see `edits_for`
    Edit(
        "a segment that a row cannot see weighs nothing",
        (
            (
                _REDUCE,
                _REDUCE
                + f"    # {MARK} with several rows the last segments may lie after a row.\n"
                + "    segm_seen = tl.load(segm_expsum_ptr + segm_offset, mask=segm_mask, other=1.0) > 0\n"
                + "    segm_max = tl.where(segm_seen, segm_max, -3.4028234663852886e38)\n",
            ),
        ),
    ),
)

_ROWS = f"""        self.num_par_softmax_segments = NUM_PAR_SOFTMAX_SEGMENTS
        # {MARK} the buffers are indexed by token, so they get a row for each.
        import os

        self.decode_query_len = 1
        if (
            type(self) is TritonAttentionMetadataBuilder
            and vllm_config.speculative_config is not None
            and getattr(getattr(kv_cache_spec, "kv_quant_mode", None), "name", "")
            != "INT4_PER_TOKEN_HEAD"
            and os.environ.get("VLLM_GATE_PATCH", "1").strip().lower()
            not in ("0", "false", "no", "off")
        ):
            self.decode_query_len += (
                vllm_config.speculative_config.num_speculative_tokens or 0
            )
"""

_SAY = f"""        # {MARK} end of the buffers.
        if self.decode_query_len > 1:
            print(
                f"GATE_PATCH active decode_query_len={{self.decode_query_len}} "
                f"segment_rows={{self.softmax_segm_max.shape[0]}}",
                flush=True,
            )
"""

_SUM = """        self.softmax_segm_expsum = torch.empty(
            ({rows}, self.num_heads_q, self.num_par_softmax_segments),
            dtype=torch.float32,
            device=device,
        )
"""
_MAX = _SUM.replace("expsum", "max")
_HEADS = "                self.num_heads_q,\n"
_STOCK_ROWS, _TOKEN_ROWS = "self.seq_threshold_3D", "max_num_tokens_3d"
_EACH = "self.decode_query_len"
_WIDE_ROWS = f"{_STOCK_ROWS} * {_EACH}"

_BACKEND_EDITS = (
    Edit(
        "rows of a verify step in the metadata",
        (
            (
                "    mm_prefix_range_tensor: torch.Tensor | None = None\n",
                f"    mm_prefix_range_tensor: torch.Tensor | None = None\n    decode_query_len: int = 1  # {MARK} rows of a verify step\n",
            ),
        ),
    ),
    Edit("rows of a verify step from the configuration", (("        self.num_par_softmax_segments = NUM_PAR_SOFTMAX_SEGMENTS\n", _ROWS),)),
    Edit(
        "output buffer",
        (
            (f"                {_STOCK_ROWS},\n{_HEADS}", f"                {_WIDE_ROWS},\n{_HEADS}"),
            (f"                {_TOKEN_ROWS},\n{_HEADS}", f"                {_TOKEN_ROWS} * {_EACH},\n{_HEADS}"),
        ),
    ),
    Edit(
        "maximum buffer",
        (
            (_MAX.format(rows=_STOCK_ROWS), _MAX.format(rows=_WIDE_ROWS)),
            (_MAX.format(rows=_TOKEN_ROWS), _MAX.format(rows=f"{_TOKEN_ROWS} * {_EACH}")),
        ),
    ),
    Edit(
        "sum buffer",
        (
            (_SUM.format(rows=_STOCK_ROWS), _SUM.format(rows=_WIDE_ROWS) + _SAY),
            (_SUM.format(rows=_TOKEN_ROWS), _SUM.format(rows=f"{_TOKEN_ROWS} * {_EACH}") + _SAY),
        ),
    ),
    Edit(
        "metadata",
        (
            (
                "            seq_threshold_3D=self.seq_threshold_3D,\n",
                "            seq_threshold_3D=self.seq_threshold_3D,\n            decode_query_len=self.decode_query_len,\n",
            ),
        ),
    ),
    Edit(
        "call",
        (
            (
                "            seq_threshold_3D=seq_threshold_3D,\n",
                "            seq_threshold_3D=seq_threshold_3D,\n            decode_query_len=attn_metadata.decode_query_len,\n",
            ),
        ),
    ),
)


def edits_for(name: str, text: str) -> tuple[tuple[str, str], ...]:
    """Return the pairs of old and new text for a file, from its stock text or from its patched text.

    Args:
        name: `LAUNCHER` or `BACKEND`.
        text: The whole file.

    Raises:
        EditError: An edit fits in no way, or in several.
    """
    edits = {LAUNCHER: _LAUNCHER_EDITS, BACKEND: _BACKEND_EDITS}[name]
    pairs = []
    for edit in edits:
        choices = edit.choices
        if edit.name == "gate":
            kept_out = ["not use_causal", "use_per_seq_causal"] if "use_per_seq_causal = " in text else []
            kept_out += ["use_mm_prefix", *(["tuned_large_head"] if "tuned_large_head = " in text else [])]
            choices = ((_GATE, _gate(" or ".join(kept_out))),)
        fitting = [(old, new) for old, new in choices if text.count(new) == 1 or (text.count(new) == 0 and text.count(old) == 1)]
        if len(fitting) != 1:
            raise EditError(f"{name}: the edit '{edit.name}' fits {len(fitting)} times")
        pairs.append(fitting[0])
    return tuple(pairs)


def apply_edits(name: str, text: str) -> str:
    """Return the patched text of a stock file.

    Raises:
        EditError: An edit does not find its text exactly once.
    """
    for old, new in edits_for(name, text):
        if text.count(old) != 1:
            raise EditError(f"{name}: the text of an edit occurs {text.count(old)} times")
        text = text.replace(old, new)
    return text


def undo_edits(name: str, text: str) -> str:
    """Return the stock text of a patched file.

    Raises:
        EditError: An edit does not find its text exactly once.
    """
    for old, new in reversed(edits_for(name, text)):
        if text.count(new) != 1:
            raise EditError(f"{name}: the text of an edit occurs {text.count(new)} times")
        text = text.replace(new, old)
    return text
