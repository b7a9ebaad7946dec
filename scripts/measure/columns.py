"""Columns that several instruments have."""

from __future__ import annotations

from .plan import FAILED, MEASURED, OK, WARM_UP
from .table import Column

RUN = (
    Column("machine", "The hardware the row was measured on.", required=True),
    Column("stack", "The serving stack.", required=True),
    Column("date", "Day on which the run began (ISO 8601, UTC).", type="date", required=True),
    Column("run", "Name of the run in the record of provenance beside the file.", required=True),
    Column("attempt", "Which attempt at its rung the row belongs to.", "1", "integer", required=True, minimum=1),
)
STATE = (
    Column("phase", "Round 0 warms the server up and is kept apart from the measured rounds.", required=True, enum=(WARM_UP, MEASURED)),
    Column("status", "Whether the cell was measured.", required=True, enum=(OK, FAILED)),
    Column("reason", "Why not, where it was not."),
)
ROUND = Column("round", "Round, from 1; 0 is the warm-up.", "1", "integer", required=True, minimum=0)
CONTEXT = Column("context", "Tokens of context that the rung asks for.", "tok", "integer", required=True, minimum=1)
COUNTS = (
    Column("prompt_tokens", "Tokens of the prompt, by the server's usage.", "tok", "integer", minimum=0),
    Column("cached_tokens", "Tokens of it that a prefix cache had; empty where the server does not say.", "tok", "integer", minimum=0),
    Column("completion_tokens", "Tokens of the answer, by the server's usage.", "tok", "integer", minimum=0),
    Column("chunks", "Chunks with text that arrived; empty when nothing was streamed.", "chunk", "integer", minimum=0),
)
STREAM = (
    Column("ttft_s", "Time from the request to the first chunk with text.", "s", "number", minimum=0),
    Column("first_chunk_tokens", "Tokens in the first chunk; the time of decoding begins after them.", "tok", "number", minimum=0),
    Column("first_chunk_basis", "How that number is known: usage, one per chunk, or share of text."),
    Column("max_gap_s", "Longest time between two chunks.", "s", "number", minimum=0),
)
DECODE = (
    Column("decode_tokens", "Tokens that the rate counts.", "tok", "number", minimum=0),
    Column("decode_s", "Time they took.", "s", "number", minimum=0),
    Column("tok_s", "Rate of decoding: tokens by usage.", "tok/s", "number", minimum=0),
    Column("chunk_s", "Chunks after the first, by time: what a client that counts chunks would see.", "chunk/s", "number", minimum=0),
)
POWER = Column("power_w", "Mean power of the devices meanwhile; empty where their driver has no counter of energy.", "W", "number", minimum=0)
