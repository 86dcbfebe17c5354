"""Makes a tiny Qwen2.5-VL with random weights and a tokenizer of its own, for a real server in contract tests.

    python scripts/make_tiny_vl.py FOLDER

Needs transformers and torch, as the environment of scripts/contract_vllm.py has them; nothing is fetched. Its answers
are nonsense: it is there for what a server does, not for what a model says.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

CONTEXT = 4_096
HEADS, WIDTH, LAYERS = 4, 128, 2
PATCH, MERGE, LEAST, MOST = 14, 2, 56 * 56, 448 * 448
MARKS = (
    "<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>", "<|vision_pad|>",
    "<|image_pad|>", "<|video_pad|>",
)  # fmt: skip
LETTERING = (
    "the page has a panel and the panel has a balloon",
    "who says this and in what tone does she say it",
    '{"lines": [{"number": 1, "speaker": "a keeper", "kind": "dialogue", "tone": "calm", "text": "THE LIGHT!"}]}',
    '{"figures": [], "sounds": [], "words": "HELLO THERE"}',
)
TEMPLATE = (
    "{%- for message in messages -%}<|im_start|>{{ message.role }}\n"
    "{%- if message.content is string -%}{{ message.content }}"
    "{%- else -%}{%- for part in message.content -%}"
    "{%- if part.type == 'text' -%}{{ part.text }}"
    "{%- elif part.type in ('image', 'image_url') -%}<|vision_start|><|image_pad|><|vision_end|>{%- endif -%}"
    "{%- endfor -%}{%- endif -%}<|im_end|>\n{% endfor -%}"
    "{%- if add_generation_prompt -%}<|im_start|>assistant\n{%- endif -%}"
)


def main(folder: Path) -> None:
    """Write model, tokenizer and processor into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = make_tokenizer()
    tokenizer.save_pretrained(folder)
    make_model(tokenizer).save_pretrained(folder)
    write_processor(folder)


def make_tokenizer() -> Any:
    """A byte-level tokenizer trained on a few lines of our own."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import PreTrainedTokenizerFast

    bare = Tokenizer(models.BPE())
    bare.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bare.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    bare.train_from_iterator(LETTERING * 8, trainers.BpeTrainer(vocab_size=512, initial_alphabet=alphabet))
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=bare,
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        additional_special_tokens=list(MARKS),
        model_max_length=CONTEXT,
    )
    tokenizer.chat_template = TEMPLATE
    return tokenizer


def make_model(tokenizer: Any) -> Any:
    """The smallest model of that architecture that a server loads, in bfloat16."""
    import torch
    from transformers import Qwen2_5_VLConfig, Qwen2_5_VLForConditionalGeneration

    mark = {name: tokenizer.convert_tokens_to_ids(name) for name in MARKS}
    text = {
        "vocab_size": -(-len(tokenizer) // 64) * 64,
        "hidden_size": WIDTH,
        "intermediate_size": 2 * WIDTH,
        "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS,
        "num_key_value_heads": HEADS // 2,
        "max_position_embeddings": CONTEXT,
        "rope_scaling": {"type": "mrope", "rope_type": "default", "mrope_section": [4, 6, 6]},
        "bos_token_id": mark["<|endoftext|>"],
        "eos_token_id": mark["<|im_end|>"],
        "tie_word_embeddings": False,
    }
    vision = {
        "depth": LAYERS,
        "hidden_size": WIDTH,
        "intermediate_size": 2 * WIDTH,
        "num_heads": HEADS,
        "out_hidden_size": WIDTH,
        "patch_size": PATCH,
        "spatial_merge_size": MERGE,
        "fullatt_block_indexes": [1],
        "window_size": 8 * PATCH,
    }
    config = Qwen2_5_VLConfig(
        text_config=text,
        vision_config=vision,
        image_token_id=mark["<|image_pad|>"],
        video_token_id=mark["<|video_pad|>"],
        vision_start_token_id=mark["<|vision_start|>"],
        vision_end_token_id=mark["<|vision_end|>"],
        tie_word_embeddings=False,
    )
    torch.manual_seed(1)
    return Qwen2_5_VLForConditionalGeneration(config).to(torch.bfloat16)


def write_processor(folder: Path) -> None:
    """What turns pictures into patches, as the published processors do, with small pictures allowed."""
    pictures = {
        "processor_class": "Qwen2_5_VLProcessor",
        "patch_size": PATCH,
        "merge_size": MERGE,
        "temporal_patch_size": 2,
        "min_pixels": LEAST,
        "max_pixels": MOST,
        "size": {"shortest_edge": LEAST, "longest_edge": MOST},
        "image_mean": [0.5, 0.5, 0.5],
        "image_std": [0.5, 0.5, 0.5],
        "do_resize": True,
        "do_rescale": True,
        "do_normalize": True,
        "do_convert_rgb": True,
    }
    for name, kind in (("preprocessor_config", "image"), ("video_preprocessor_config", "video")):
        typed = {f"{kind}_processor_type": f"Qwen2VL{kind.capitalize()}Processor"}
        (folder / f"{name}.json").write_text(json.dumps({**pictures, **typed}, indent=1))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
