"""The small Llama of torch_decoder.py, its static cache, and how PyTorch exports a step and a prompt."""
import torch
import transformers

VOCABULARY, WIDTH, HEADS, KEY_HEADS, LAYERS = 512, 128, 8, 2, 4
HEAD = WIDTH // HEADS


class StaticCache(transformers.cache_utils.Cache):
    """Keys and values of all places, of which a step replaces its own: in new tensors, or in place."""

    def __init__(self, tensors, position, is_in_place):
        self.tensors, self.position, self.is_in_place = list(tensors), position, is_in_place

    def update(self, key, value, layer, *_, **__):
        for slot, new in ((2 * layer, key), (2 * layer + 1, value)):
            if self.is_in_place:
                self.tensors[slot].index_copy_(2, self.position, new)
            else:
                place = self.position.reshape(1, 1, -1, 1).expand_as(new)
                self.tensors[slot] = self.tensors[slot].scatter(2, place, new)
        return self.tensors[2 * layer], self.tensors[2 * layer + 1]

    def get_seq_length(self, *_, **__):
        return 0


class Step(torch.nn.Module):
    """One token in, its logits and the new cache out."""

    def __init__(self, capacity, dtype):
        super().__init__()
        config = transformers.LlamaConfig(
            vocab_size=VOCABULARY, hidden_size=WIDTH, num_hidden_layers=LAYERS, num_attention_heads=HEADS,
            num_key_value_heads=KEY_HEADS, intermediate_size=2 * WIDTH, max_position_embeddings=capacity,
            attn_implementation="eager")
        self.model = transformers.LlamaForCausalLM(config).eval().to(dtype)
        self.capacity, self.dtype, self.is_in_place = capacity, dtype, False

    def cache(self, device="cpu"):
        shape = (1, KEY_HEADS, self.capacity, HEAD)
        return [torch.zeros(shape, dtype=self.dtype, device=device) for _ in range(2 * LAYERS)]

    def forward(self, token, position, *cache):
        logits, cache = self.run(token, position, cache)
        return (logits[0], *cache)

    def run(self, tokens, positions, cache):
        """Logits of the tokens at these positions, [tokens, words], each of which sees those up to its own."""
        tensors = StaticCache(cache, positions, self.is_in_place)
        seen = torch.arange(self.capacity, device=tokens.device) <= positions.reshape(-1, 1)
        mask = torch.where(seen, 0.0, torch.finfo(self.dtype).min).to(self.dtype).reshape(1, 1, -1, self.capacity)
        logits = self.model(input_ids=tokens, attention_mask=mask, position_ids=positions.reshape(1, -1),
                            cache_position=positions, past_key_values=tensors, use_cache=True).logits
        return logits[0], tensors.tensors


class Prompt(torch.nn.Module):
    """A prompt in, the logits of its last token and the cache with its rows out. What is padded stands behind the last
    token, so that no token of the prompt sees it; steps write over its rows before they see them."""

    def __init__(self, step):
        super().__init__()
        self.step = step

    def forward(self, tokens, last, *cache):
        logits, cache = self.step.run(tokens, torch.arange(tokens.shape[1], device=tokens.device), cache)
        return (logits.index_select(0, last)[0], *cache)


def cache_names():
    return [f"{what}{layer}" for layer in range(LAYERS) for what in ("keys", "values")]


def export(model, inputs, cache, path, open_extents=None):
    """Exports a Step or a Prompt, whose inputs are examples by name; open_extents as torch.export takes them."""
    names = cache_names()
    with torch.no_grad():
        torch.onnx.export(model, (*inputs.values(), *cache), path, input_names=[*inputs, *names],
                          output_names=["logits", *(f"new_{name}" for name in names)], dynamo=True,
                          dynamic_shapes=open_extents)


def export_step(step, path):
    export(step, {"token": torch.ones(1, 1, dtype=torch.int64), "position": torch.zeros(1, dtype=torch.int64)},
           step.cache(), path)


def export_prompt(step, rows, path, is_open=False):
    """A prompt of so many rows, or of any number that is at least 2 and fits into the cache."""
    cache = step.cache()
    extents = None
    if is_open:
        extents = {"tokens": {1: torch.export.Dim("rows", min=2, max=step.capacity)}, "last": {},
                   "cache": tuple({} for _ in cache)}  # a tuple of None would be taken for extents of one tensor
    export(Prompt(step).eval(), {"tokens": torch.ones(1, rows, dtype=torch.int64),
                                 "last": torch.zeros(1, dtype=torch.int64)}, cache, path, extents)
