"""The Triton kernels: attention over a paged cache, and the reduction of its segments.

Nothing here touches a device; `scripts.attention.launch` checks shapes and launches. The numbers of a launch (blocks, tiles,
segments) come from `scripts.attention.plan`.

The kernels follow the online softmax of FlashAttention (Dao et al., 2022, arXiv:2205.14135) and the split along the keys of
Flash-Decoding (Dao et al., 2023); scores are kept in base 2, because the hardware has an exp2 and no exp.
"""

from __future__ import annotations

import triton
import triton.language as tl

GRAIN = tl.constexpr(16)
"""Keys that are never divided between two segments; the page of most caches."""


@triton.jit
def first_block(starts_ptr, sequence, BLOCK_Q: tl.constexpr):
    """Return the first block of queries that belongs to a sequence.

    A sequence of n rows needs ceil(n / BLOCK_Q) blocks. Lengths are known on the device only, so each sequence gets its place
    in a numbering that leaves room for the worst rounding: BLOCK_Q - 1 rows for each sequence before it.
    """
    return (tl.load(starts_ptr + sequence) + sequence * (BLOCK_Q - 1)) // BLOCK_Q


@triton.jit
def find_sequence(starts_ptr, block, num_seqs, BLOCK_Q: tl.constexpr):
    """Return the last sequence whose first block is not after ``block`` (binary search)."""
    low = 0
    high = num_seqs
    while high - low > 1:
        middle = (low + high) // 2
        if first_block(starts_ptr, middle, BLOCK_Q) <= block:
            low = middle
        else:
            high = middle
    return low


@triton.jit
def attention_kernel(  # noqa: PLR0912 - most branches are decided when it is compiled
    q_ptr,  # [tokens, query heads, HEAD_DIM]
    k_ptr,  # [pages, BLOCK_SIZE, KV_HEADS, HEAD_DIM]
    v_ptr,  # [pages, BLOCK_SIZE, KV_HEADS, HEAD_DIM]
    out_ptr,  # [tokens, query heads, HEAD_DIM]; written when not SPLIT
    part_ptr,  # [tokens, query heads, segments, HEAD_DIM] float32; written when SPLIT
    max_ptr,  # [tokens, query heads, segments] float32; written when SPLIT
    sum_ptr,  # [tokens, query heads, segments] float32; written when SPLIT
    table_ptr,  # [sequences, blocks] int32
    starts_ptr,  # [sequences + 1] int32
    lens_ptr,  # [sequences] int32
    num_seqs,
    scale_log2,  # scale of the scores times log2(e), positive
    q_stride_t,
    q_stride_h,
    k_stride_p,
    k_stride_s,
    k_stride_h,
    v_stride_p,
    v_stride_s,
    v_stride_h,
    out_stride_t,
    out_stride_h,
    table_stride,
    KV_HEADS: tl.constexpr,
    GROUP: tl.constexpr,  # query heads of one KV head
    HEAD_DIM: tl.constexpr,
    PADDED_DIM: tl.constexpr,  # HEAD_DIM, rounded up to a power of two
    BLOCK_SIZE: tl.constexpr,  # keys of a page
    PACKED: tl.constexpr,  # pages follow one another without gaps, and keys and values have the same strides
    WINDOW: tl.constexpr,  # keys a row sees at most; 0 for all
    BLOCK_M: tl.constexpr,  # rows of a block of queries: tokens times GROUP, padded
    BLOCK_Q: tl.constexpr,  # tokens of a block of queries
    TILE: tl.constexpr,  # keys of one step
    CHUNK: tl.constexpr,  # columns of one product of queries and keys, PADDED_DIM or a part of it
    EXACT: tl.constexpr,  # give the values weights of twice the precision of the dtype
    SEGMENTS: tl.constexpr,  # parts that the keys of a block are divided into
    SPLIT: tl.constexpr,  # write parts for the reduction instead of the output
    PDL: tl.constexpr,  # programmatic dependent launch (Hopper and later): start while the predecessor ends
):
    """Attend one block of queries to one segment of its keys.

    Grid: (blocks of queries * KV_HEADS, SEGMENTS). The heads of one block are neighbours, because their keys are.
    """
    program = tl.program_id(0)
    segment = tl.program_id(1)
    kv_head = program % KV_HEADS
    block = program // KV_HEADS
    if PDL:
        # Launched before its predecessor has ended; nothing may be read or written until that has.
        tl.extra.cuda.gdc_wait()

    sequence = find_sequence(starts_ptr, block, num_seqs, BLOCK_Q)
    q_begin = tl.load(starts_ptr + sequence)
    q_len = tl.load(starts_ptr + sequence + 1) - q_begin
    first_row = (block - (q_begin + sequence * (BLOCK_Q - 1)) // BLOCK_Q) * BLOCK_Q
    context = tl.load(lens_ptr + sequence) - q_len  # keys before the first query row
    if first_row >= q_len:
        return

    lane = tl.arange(0, BLOCK_M)
    row = first_row + lane // GROUP
    head = kv_head * GROUP + lane % GROUP
    live = (lane < BLOCK_Q * GROUP) & (row < q_len)
    token = (q_begin + row).to(tl.int64)
    position = context + row  # [BLOCK_M]
    dim = tl.arange(0, PADDED_DIM)
    q_mask = live[:, None]
    if PADDED_DIM != HEAD_DIM:
        q_mask = q_mask & (dim < HEAD_DIM)[None, :]
    q_row_ptr = q_ptr + token * q_stride_t + head * q_stride_h  # [BLOCK_M]
    if CHUNK == PADDED_DIM:
        q = tl.load(q_row_ptr[:, None] + dim[None, :], mask=q_mask, other=0.0)  # [BLOCK_M, PADDED_DIM]

    # The keys that any row of the block sees, divided evenly among the segments in grains of 16: with whole tiles the longest segment
    # of a few tiles would be a third longer than the mean, and all wait for it; finer than a page, tiles would touch more pages.
    key_end = tl.maximum(context + tl.minimum(first_row + BLOCK_Q, q_len), 0)
    key_begin = 0
    if WINDOW > 0:
        # To a whole grain, so that steps and pages begin together; the mask hides the keys before the window.
        key_begin = tl.maximum(context + first_row + 1 - WINDOW, 0) // GRAIN * GRAIN
    if SPLIT:
        grains = tl.cdiv(tl.maximum(key_end - key_begin, 0), GRAIN)
        share = grains // SEGMENTS
        spare = grains % SEGMENTS
        key_begin += (segment * share + tl.minimum(segment, spare)) * GRAIN
        key_end = tl.minimum(key_end, key_begin + (share + (segment < spare).to(tl.int32)) * GRAIN)

    # Before safe_end every row sees every key: most steps need no mask.
    safe_end = tl.minimum(key_end, context + first_row + 1)
    last_key = tl.minimum(position, key_end - 1)  # [BLOCK_M]
    top = tl.full([BLOCK_M], float("-inf"), tl.float32)
    total = tl.zeros([BLOCK_M], tl.float32)
    acc = tl.zeros([BLOCK_M, PADDED_DIM], tl.float32)
    # Unsigned, so that a division by a power of two is one shift. The addresses of a step cost more instructions than its scores.
    offset = tl.arange(0, TILE)
    table_ptr += sequence.to(tl.int64) * table_stride
    column = tl.arange(0, CHUNK)
    k_row_ptr = k_ptr + kv_head * k_stride_h + column[None, :]  # [1, CHUNK]
    v_row_ptr = v_ptr + kv_head * v_stride_h + dim[None, :]  # [1, PADDED_DIM]

    # The page numbers of a step are read one step ahead: addresses of keys must not wait for them.
    key = (key_begin + offset).to(tl.uint32)
    page = tl.load(table_ptr + key // BLOCK_SIZE, mask=key < key_end, other=0)
    for begin in range(key_begin, key_end, TILE):
        key = (begin + offset).to(tl.uint32)
        seen = key < key_end
        following = key + TILE
        next_page = tl.load(table_ptr + following // BLOCK_SIZE, mask=following < key_end, other=0)
        slot = (key % BLOCK_SIZE).to(tl.int32)
        if PACKED:
            k_offset = (page * BLOCK_SIZE + slot).to(tl.int64) * k_stride_s
            v_offset = k_offset
        else:
            k_offset = page.to(tl.int64) * k_stride_p + slot * k_stride_s
            v_offset = page.to(tl.int64) * v_stride_p + slot * v_stride_s
        if CHUNK == PADDED_DIM:
            k_mask = seen[:, None]
            if PADDED_DIM != HEAD_DIM:
                k_mask = k_mask & (dim < HEAD_DIM)[None, :]
            k = tl.load(k_row_ptr + k_offset[:, None], mask=k_mask, other=0.0)  # [TILE, PADDED_DIM]
            score = tl.dot(q, tl.trans(k), input_precision="ieee")  # [BLOCK_M, TILE], unscaled
        else:
            # Where registers do not hold the queries through the loop, they are read again in each step. The offset is 0 for any
            # context, but no compiler can know: it would read them once, before the loop, and spill them.
            nothing = (begin - key_begin) // (1 << 30)
            score = tl.zeros([BLOCK_M, TILE], tl.float32)
            for start in tl.static_range(0, PADDED_DIM, CHUNK):
                inside = (start + column < HEAD_DIM)[None, :]
                q_part = tl.load(q_row_ptr[:, None] + (start + nothing + column)[None, :], mask=live[:, None] & inside, other=0.0)
                k_part = tl.load(k_row_ptr + k_offset[:, None] + start, mask=seen[:, None] & inside, other=0.0)  # [TILE, CHUNK]
                score = tl.dot(q_part, tl.trans(k_part), score, input_precision="ieee")
        v_mask = seen[:, None]
        if PADDED_DIM != HEAD_DIM:
            v_mask = v_mask & (dim < HEAD_DIM)[None, :]
        # Masked, because 0 times a NaN left behind the last key would be a NaN.
        v = tl.load(v_row_ptr + v_offset[:, None], mask=v_mask, other=0.0)  # [TILE, PADDED_DIM]

        place = key.to(tl.int32)[None, :]
        if WINDOW > 0:
            visible = (place <= last_key[:, None]) & (place > position[:, None] - WINDOW)
            score = tl.where(visible, score, float("-inf"))
        elif begin + TILE > safe_end:
            score = tl.where(place <= last_key[:, None], score, float("-inf"))
        new_top = tl.maximum(top, tl.max(score, 1) * scale_log2)
        # A row that has seen nothing yet has no maximum; any finite number keeps its exponentials at 0.
        anchor = tl.where(new_top == float("-inf"), 0.0, new_top)
        weight = tl.exp2(score * scale_log2 - anchor[:, None])
        decay = tl.exp2(top - anchor)
        total = total * decay + tl.sum(weight, 1)
        rounded = weight.to(v.dtype)
        acc = tl.dot(rounded, v, acc * decay[:, None], input_precision="ieee")
        if EXACT:
            # What rounding took from the weights, as a second product: the answer's error is then that of its own last rounding.
            acc = tl.dot((weight - rounded.to(tl.float32)).to(v.dtype), v, acc, input_precision="ieee")
        top = new_top
        page = next_page

    if PDL:
        tl.extra.cuda.gdc_launch_dependents()
    if SPLIT:
        place = (token * (KV_HEADS * GROUP) + head) * SEGMENTS + segment
        tl.store(max_ptr + place, top, mask=live)
        tl.store(sum_ptr + place, total, mask=live)
        # An empty segment is known by its maximum; nothing reads its part.
        if key_end > key_begin:
            tl.store(part_ptr + place[:, None] * HEAD_DIM + dim[None, :], acc, mask=q_mask)
    else:
        acc = acc / tl.where(total == 0.0, 1.0, total)[:, None]
        out_offset = token[:, None] * out_stride_t + head[:, None] * out_stride_h + dim[None, :]
        tl.store(out_ptr + out_offset, acc.to(out_ptr.dtype.element_ty), mask=q_mask)


@triton.jit
def reduce_kernel(
    out_ptr,  # [tokens, QUERY_HEADS, HEAD_DIM]
    part_ptr,  # [tokens, QUERY_HEADS, SEGMENTS, HEAD_DIM] float32
    max_ptr,  # [tokens, QUERY_HEADS, SEGMENTS] float32
    sum_ptr,  # [tokens, QUERY_HEADS, SEGMENTS] float32
    starts_ptr,  # [sequences + 1] int32
    num_seqs,
    out_stride_t,
    out_stride_h,
    QUERY_HEADS: tl.constexpr,
    HEAD_DIM: tl.constexpr,
    DIMS: tl.constexpr,  # columns of one program, a power of two
    SEGMENTS: tl.constexpr,
    PADDED_SEGMENTS: tl.constexpr,  # SEGMENTS, rounded up to a power of two
    PDL: tl.constexpr,
):
    """Combine the segments of one head of one token, in an order that does not depend on the run.

    Grid: (tokens, QUERY_HEADS, ceil(HEAD_DIM / DIMS)).
    """
    token = tl.program_id(0)
    head = tl.program_id(1)
    segment = tl.arange(0, PADDED_SEGMENTS)
    dim = tl.program_id(2) * DIMS + tl.arange(0, DIMS)
    if PDL:
        # Before any return: the next launch takes this grid's end as the end of the attention kernel, too.
        tl.extra.cuda.gdc_wait()
    # Padding tokens have no sequence: the attention kernel wrote nothing for them.
    if token >= tl.load(starts_ptr + num_seqs):
        return
    place = (token.to(tl.int64) * QUERY_HEADS + head) * SEGMENTS + segment
    top = tl.load(max_ptr + place, mask=segment < SEGMENTS, other=float("-inf"))
    total = tl.load(sum_ptr + place, mask=segment < SEGMENTS, other=0.0)
    mask = (segment < SEGMENTS)[:, None] & (dim < HEAD_DIM)[None, :]
    part = tl.load(part_ptr + place[:, None] * HEAD_DIM + dim[None, :], mask=mask, other=0.0)  # [PADDED_SEGMENTS, DIMS]
    # An empty segment has no maximum and left its part unwritten. Chosen after the load, which so need not wait for the maxima.
    part = tl.where((top > float("-inf"))[:, None], part, 0.0)
    highest = tl.max(top, 0)
    weight = tl.exp2(top - tl.where(highest == float("-inf"), 0.0, highest))
    divisor = tl.sum(weight * total, 0)
    combined = tl.sum(part * weight[:, None], 0) / tl.where(divisor == 0.0, 1.0, divisor)
    out_offset = token.to(tl.int64) * out_stride_t + head * out_stride_h + dim
    tl.store(out_ptr + out_offset, combined.to(out_ptr.dtype.element_ty), mask=dim < HEAD_DIM)
