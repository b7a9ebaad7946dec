"""What the kernels must compute, in plain PyTorch: the definition of correct."""

from __future__ import annotations

import torch


def paged_attention(  # noqa: PLR0913 - a cache comes in six tensors
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    table: torch.Tensor,
    query_starts: torch.Tensor,
    kv_lens: torch.Tensor,
    *,
    scale: float,
    window: int = 0,
    dtype: torch.dtype = torch.float64,
) -> torch.Tensor:
    """Return causal attention over a paged cache, computed and returned in ``dtype``.

    The last query row of a sequence stands at its last key; row ``r`` of ``n`` sees the keys up to ``kv_len - n + r``, of which
    the nearest ``window`` (itself included) when ``window`` is not 0. A row that sees no key gives zeros.

    Args:
        q: Queries, [tokens, query heads, head_dim].
        k: Keys, [pages, block size, KV heads, head_dim].
        v: Values, like ``k``.
        table: Page of each block of a sequence, [sequences, blocks], integer.
        query_starts: First query token of each sequence and the end of the last, [sequences + 1], integer.
        kv_lens: Keys of each sequence, its own query rows included, [sequences], integer.
        scale: Factor on the scores.
        window: Keys a row sees at most; 0 for all.
        dtype: Arithmetic and result; float64 defines correct, float32 is for larger cases.

    Returns:
        [tokens, query heads, head_dim]. Tokens at or after ``query_starts[-1]`` are zeros.
    """
    tokens, heads, _ = q.shape
    block_size, kv_heads = k.shape[1], k.shape[2]
    out = torch.zeros(tokens, heads, v.shape[3], dtype=dtype, device=q.device)
    starts = query_starts.tolist()
    for sequence, kv_len in enumerate(kv_lens.tolist()):
        begin, end = starts[sequence], starts[sequence + 1]
        if begin == end or kv_len <= 0:
            continue
        pages = table[sequence, : -(-kv_len // block_size)].long()
        keys = k[pages].flatten(0, 1)[:kv_len].to(dtype)  # [kv_len, KV heads, head_dim]
        values = v[pages].flatten(0, 1)[:kv_len].to(dtype)
        rows = q[begin:end].to(dtype).unflatten(1, (kv_heads, heads // kv_heads))  # [rows, KV heads, group, head_dim]
        scores = torch.einsum("rhgd,khd->hgrk", rows, keys) * scale
        position = torch.arange(kv_len - (end - begin), kv_len, device=q.device)[:, None]
        key = torch.arange(kv_len, device=q.device)[None, :]
        hidden = key > position
        if window:
            hidden = hidden | (key <= position - window)
        weights = torch.softmax(scores.masked_fill(hidden, float("-inf")), dim=-1).nan_to_num(nan=0.0)
        out[begin:end] = torch.einsum("hgrk,khd->rhgd", weights, values).flatten(1, 2)
    return out
