"""Makes the same kind of model for llama.cpp, and serves it: `python -m tests.measure.tiny_gguf FILE PORT`."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import gguf
import numpy as np
import xllamacpp
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

END = "<|end|>"
TEXT = ["the keeper of the light counts 0 1 2 3 4 5 6 7 8 9 ships : and goes down again to write their names into the book"] * 40
WIDTH, LAYERS, HEADS, KV_HEADS, INNER, LENGTH = 32, 2, 2, 1, 64, 4096


def train_tokenizer() -> tuple[list[str], list[str]]:
    """Return the tokens of a byte-level BPE in their order, and its merges."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=400, special_tokens=[END], initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator(TEXT, trainer)
    merges = json.loads(tokenizer.to_str())["model"]["merges"]
    tokens = sorted(tokenizer.get_vocab().items(), key=lambda item: item[1])
    return [token for token, _ in tokens], [" ".join(pair) if isinstance(pair, list) else pair for pair in merges]


def write_model(path: Path) -> None:
    """Write two layers with random weights."""
    tokens, merges = train_tokenizer()
    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_context_length(LENGTH)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(KV_HEADS)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_types([gguf.TokenType.CONTROL if token == END else gguf.TokenType.NORMAL for token in tokens])
    writer.add_token_merges(merges)
    writer.add_eos_token_id(0)
    writer.add_bos_token_id(0)
    writer.add_add_bos_token(False)  # noqa: FBT003 - its only argument
    chance = np.random.default_rng(0)

    def add(name: str, *shape: int) -> None:
        values = np.ones(shape) if name.endswith("norm.weight") else chance.normal(0, 0.2, shape)
        writer.add_tensor(name, values.astype(np.float32))

    narrow = WIDTH // HEADS * KV_HEADS
    add("token_embd.weight", len(tokens), WIDTH)
    add("output_norm.weight", WIDTH)
    add("output.weight", len(tokens), WIDTH)
    for layer in range(LAYERS):
        add(f"blk.{layer}.attn_norm.weight", WIDTH)
        add(f"blk.{layer}.attn_q.weight", WIDTH, WIDTH)
        add(f"blk.{layer}.attn_k.weight", narrow, WIDTH)
        add(f"blk.{layer}.attn_v.weight", narrow, WIDTH)
        add(f"blk.{layer}.attn_output.weight", WIDTH, WIDTH)
        add(f"blk.{layer}.ffn_norm.weight", WIDTH)
        add(f"blk.{layer}.ffn_gate.weight", INNER, WIDTH)
        add(f"blk.{layer}.ffn_up.weight", INNER, WIDTH)
        add(f"blk.{layer}.ffn_down.weight", WIDTH, INNER)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main(path: Path, port: int) -> None:
    """Write the model and serve it until the process is ended."""
    write_model(path)
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.hostnames, params.port = ["127.0.0.1"], port
    params.n_ctx, params.n_parallel = LENGTH, 1
    params.cpuparams.n_threads = 1
    server = xllamacpp.Server(params)
    while server:
        time.sleep(3600)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
