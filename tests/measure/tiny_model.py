"""Makes a model and its tokenizer on the spot: `python -m tests.measure.tiny_model FOLDER`. Two layers, random weights, nothing fetched."""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

END = "<|end|>"
TEXT = ["the keeper of the light counts 0 1 2 3 4 5 6 7 8 9 ships : and goes down again to write their names into the book"] * 40
LENGTH = 4096


def make_tokenizer() -> PreTrainedTokenizerFast:
    """Return a byte-level BPE, trained on a few words."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=[END], initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    tokenizer.train_from_iterator(TEXT, trainer)
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token=END, pad_token=END)
    fast.chat_template = "{% for message in messages %}{{ message['content'] }}{% endfor %}"
    return fast


def main(folder: Path) -> None:
    """Write the model into a folder."""
    tokenizer = make_tokenizer()
    tokenizer.save_pretrained(folder)
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        num_key_value_heads=1,
        max_position_embeddings=LENGTH,
        pad_token_id=0,
    )
    model = LlamaForCausalLM(config)
    # No token ends an answer, so that each is as long as it was asked to be.
    model.generation_config.eos_token_id = None
    model.save_pretrained(folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
