"""The metadata and tensors of the architectures that plumb has templates for (ops.md J.3)."""

import itertools

from gguf_bytes import Tensor, metadata

# What an architecture has that llama has not.
ARCHITECTURES = {
    "llama": (), "qwen2": ("qkv_biases",), "qwen2moe": ("qkv_biases", "shared_expert"), "qwen3": ("head_norms",),
    "qwen3moe": ("head_norms",), "qwen3vl": ("head_norms", "sections"), "phi3": ("joint_qkv", "gate_in_up"),
    "gemma": (), "gemma2": ("post_norms",), "gemma3": ("post_norms", "head_norms"),
    "gpt2": ("joint_qkv", "layer_norms", "positions", "biases", "no_gate"),
    "bert": ("encoder", "layer_norms", "positions", "biases", "no_gate"),
    "gpt-oss": ("qkv_biases", "output_bias", "sinks", "expert_biases"), "deepseek2": ("latent", "plain_shared_experts"),
    "qwen35": ("head_norms", "sections", "linear"), "qwen35moe": ("head_norms", "sections", "linear", "shared_expert"),
    "gemma4": ("post_norms", "head_norms", "two_lengths")}
TIED = ("gemma", "gemma2")


def has_window(o, block):
    return o.architecture == "gemma4" and o.pattern[block] == "s"


def kv_heads_of(o, block):
    """Blocks without a window have half as many where there are two lengths."""
    return o.kv_heads // 2 if o.architecture == "gemma4" and not has_window(o, block) else o.kv_heads


def feed_forward_of(o, block):
    """Blocks that read the caches of others have twice as much."""
    return o.feed_forward * (2 if block >= o.blocks - o.sharing and block < o.blocks else 1)


def is_linear(o, block):
    return "linear" in ARCHITECTURES[o.architecture] and block < o.blocks and (block + 1) % o.interval != 0


class Tensors:
    """The tensors of a transformer; types go round where several are named."""

    def __init__(self, o):
        self.o, self.has = o, ARCHITECTURES[o.architecture]
        self.turn, self.named = itertools.cycle(o.types), dict(one.split("=") for one in o.type_of)

    def kind(self, name):
        return self.named[name] if name in self.named else next(self.turn)

    def product(self, name, rows, columns, has_bias=False):
        yield Tensor(f"{name}.weight", (rows, columns), self.kind(name.split(".")[-1]))
        if has_bias or "biases" in self.has:
            yield Tensor(f"{name}.bias", (rows,), "f32", 0.1)

    def norm(self, name, extent):
        yield Tensor(f"{name}.weight", (extent,), "f32", 0.1, 1.0)
        if "layer_norms" in self.has:
            yield Tensor(f"{name}.bias", (extent,), "f32", 0.1)

    def all(self):
        o, is_encoder = self.o, "encoder" in self.has
        yield Tensor("token_embd.weight", (o.vocabulary, o.width), self.kind("token_embd"))
        if "positions" in self.has:
            yield Tensor("position_embd.weight", (o.context, o.width), "f32")
        if is_encoder:
            yield Tensor("token_types.weight", (2, o.width), "f32")
        yield from self.norm("token_embd_norm" if is_encoder else "output_norm", o.width)
        if not (o.tied or is_encoder or o.architecture in TIED):
            yield Tensor("output.weight", (o.vocabulary, o.width), self.kind("output"))
        for name in (["rope_freqs"] if o.rope_freqs else []) + (
                ["rope_factors_long", "rope_factors_short"] if o.rope_factors else []):
            yield Tensor(f"{name}.weight", ((o.rotary_columns or o.head_length) // 2,), "f32", 0.2, 2.0)
        if o.per_layer:
            yield Tensor("per_layer_token_embd.weight", (o.vocabulary, o.blocks * o.per_layer), self.kind("token_embd"))
            yield from self.product("per_layer_model_proj", o.blocks * o.per_layer, o.width)
            yield from self.norm("per_layer_proj_norm", o.per_layer)
        for i in range(o.blocks):
            yield from self.block(i)
        for i in range(o.blocks, o.blocks + o.draft):
            yield from self.block(i)
            yield from self.product(f"blk.{i}.nextn.eh_proj", o.width, 2 * o.width)

    def mixer(self, i):
        if "latent" in self.has:
            return self.latent_attention
        return self.linear_attention if is_linear(self.o, i) else self.attention

    def block(self, i):
        o, prefix = self.o, f"blk.{i}."
        if "encoder" not in self.has:
            yield from self.norm(f"{prefix}attn_norm", o.width)
        yield from self.mixer(i)(prefix)
        norms = ["ffn_norm"]
        if "post_norms" in self.has:
            norms += ["post_attention_norm", "post_ffw_norm"]
        if "two_lengths" in self.has and o.experts:
            norms += ["post_ffw_norm_1", "pre_ffw_norm_2", "post_ffw_norm_2"]
        if "encoder" in self.has:
            norms = ["attn_output_norm", "layer_output_norm"]
        if {"sinks", "linear"} & set(self.has):
            norms = ["post_attention_norm"]
        for name in norms:
            yield from self.norm(f"{prefix}{name}", o.width)
        if "two_lengths" in self.has:
            yield from self.of_every_block(prefix)
        if o.experts and i >= o.dense_blocks:
            yield from self.experts(prefix)
            if "two_lengths" not in self.has:
                return
        if not {"no_gate", "gate_in_up"} & set(self.has):
            yield from self.product(f"{prefix}ffn_gate", feed_forward_of(o, i), o.width)
        yield from self.product(f"{prefix}ffn_up", feed_forward_of(o, i) * (1 + ("gate_in_up" in self.has)), o.width)
        yield from self.product(f"{prefix}ffn_down", o.width, feed_forward_of(o, i))

    def attention(self, prefix):
        o, i = self.o, int(prefix.split(".")[1])
        length = o.window_length if has_window(o, i) else o.head_length
        q, k = o.heads * length, kv_heads_of(o, i) * length
        parts = (("qkv", q + 2 * k),) if "joint_qkv" in self.has else (("q", q), ("k", k), ("v", k))
        for name, rows in parts:
            if (name != "q" and i >= o.blocks - o.sharing) or (
                    name == "v" and o.values_of_keys and not has_window(o, i)):
                continue
            rows *= 2 if "linear" in self.has and name == "q" else 1
            yield from self.product(f"{prefix}attn_{name}", rows, o.width, "qkv_biases" in self.has)
            if "head_norms" in self.has and name != "v":
                yield Tensor(f"{prefix}attn_{name}_norm.weight", (length,), "f32", 0.1, 1.0)
        yield from self.product(f"{prefix}attn_output", o.width, q, "output_bias" in self.has)
        if "sinks" in self.has:
            yield Tensor(f"{prefix}attn_sinks.weight", (o.heads,), "f32", 1.0, 1.0)

    def linear_attention(self, prefix):
        o = self.o
        values = o.value_heads * o.state
        channels = 2 * o.key_groups * o.state + values
        yield from self.product(f"{prefix}attn_qkv", channels, o.width)
        yield from self.product(f"{prefix}attn_gate", values, o.width)
        yield Tensor(f"{prefix}ssm_conv1d.weight", (channels, o.taps), "f32")
        yield Tensor(f"{prefix}ssm_a", (o.value_heads,), "f32", 0.2, -1.0)
        yield Tensor(f"{prefix}ssm_dt.bias", (o.value_heads,), "f32", 1.0)
        for name in ("alpha", "beta"):
            yield from self.product(f"{prefix}ssm_{name}", o.value_heads, o.width)
        yield from self.norm(f"{prefix}ssm_norm", o.state)
        yield from self.product(f"{prefix}ssm_out", o.width, values)

    def of_every_block(self, prefix):
        o = self.o
        yield Tensor(f"{prefix}layer_output_scale.weight", (1,), "f32", 0.1, 0.8)
        if o.per_layer:
            yield from self.product(f"{prefix}inp_gate", o.per_layer, o.width)
            yield from self.product(f"{prefix}proj", o.width, o.per_layer)
            yield from self.norm(f"{prefix}post_norm", o.width)

    def latent_attention(self, prefix):
        o, n, rank = self.o, self.o.rotary_columns, self.o.kv_rank
        q = o.heads * o.head_length
        if o.q_rank:
            yield from self.product(f"{prefix}attn_q_a", o.q_rank, o.width)
            yield from self.norm(f"{prefix}attn_q_a_norm", o.q_rank)
            yield from self.product(f"{prefix}attn_q_b", q, o.q_rank)
        else:
            yield from self.product(f"{prefix}attn_q", q, o.width)
        yield from self.product(f"{prefix}attn_kv_a_mqa", rank + n, o.width)
        yield from self.norm(f"{prefix}attn_kv_a_norm", rank)
        plain = o.head_length - n
        if o.joint_kv:
            yield from self.product(f"{prefix}attn_kv_b", o.heads * (plain + o.value_length), rank)
        else:
            yield Tensor(f"{prefix}attn_k_b.weight", (o.heads, rank, plain), self.kind("attn_k_b"))
            yield Tensor(f"{prefix}attn_v_b.weight", (o.heads, o.value_length, rank), self.kind("attn_v_b"))
        yield from self.product(f"{prefix}attn_output", o.width, o.heads * o.value_length)

    def experts(self, prefix):
        o, has_biases = self.o, "expert_biases" in self.has
        yield Tensor(f"{prefix}ffn_gate_inp.weight", (o.experts, o.width), "f32")
        if "two_lengths" in self.has:
            yield Tensor(f"{prefix}ffn_gate_inp.scale", (o.width,), "f32", 2.0, 8.0)
            yield Tensor(f"{prefix}ffn_down_exps.scale", (o.experts,), "f32", 0.3, 1.0)
        if has_biases:
            yield Tensor(f"{prefix}ffn_gate_inp.bias", (o.experts,), "f32", 0.5)
        both = ((("gate_up", 2 * o.expert_width, o.width),) if o.joint_gate_up else
                (("gate", o.expert_width, o.width), ("up", o.expert_width, o.width)))
        for name, rows, columns in (*both, ("down", o.width, o.expert_width)):
            kind = self.kind(f"ffn_{name}")
            if o.one_per_expert:
                for e in range(o.experts):
                    yield Tensor(f"{prefix}ffn_{name}.{e}.weight", (rows, columns), kind)
            else:
                yield Tensor(f"{prefix}ffn_{name}_exps.weight", (o.experts, rows, columns), kind)
            if has_biases:  # so large that gates and values reach their limit
                yield Tensor(f"{prefix}ffn_{name}_exps.bias", (o.experts, rows), "f32", 6.0)
        if o.sigmoid:
            yield Tensor(f"{prefix}exp_probs_b.bias", (o.experts,), "f32", 0.3)
        if "shared_expert" in self.has:
            yield Tensor(f"{prefix}ffn_gate_inp_shexp.weight", (o.width,), "f32", 0.3)
        if {"shared_expert", "plain_shared_experts"} & set(self.has):
            width = o.shared_width if "shared_expert" in self.has else o.expert_width * o.shared_experts
            for name, rows, columns in (("gate", width, o.width), ("up", width, o.width), ("down", o.width, width)):
                yield Tensor(f"{prefix}ffn_{name}_shexp.weight", (rows, columns), self.kind(f"ffn_{name}"))


def tensors_of(o):
    return list(Tensors(o).all())


def latent_metadata(o):
    whole = {"attention.kv_lora_rank": o.kv_rank, "leading_dense_block_count": o.dense_blocks,
             "expert_shared_count": o.shared_experts, "expert_gating_func": 2 if o.sigmoid else 1}
    if o.q_rank:
        whole["attention.q_lora_rank"] = o.q_rank
    if o.groups:
        whole |= {"expert_group_count": o.groups, "expert_group_used_count": o.groups_used}
    if o.joint_kv:
        return whole | {"attention.head_count_kv": o.heads, "attention.value_length": o.value_length}
    return whole | {"attention.head_count_kv": 1, "attention.key_length": o.kv_rank + o.rotary_columns,
                    "attention.value_length": o.kv_rank, "attention.key_length_mla": o.head_length,
                    "attention.value_length_mla": o.value_length}


def linear_metadata(o):
    a = o.architecture
    if o.by_block:
        yield metadata(f"{a}.attention.recurrent_layers", "bools", [is_linear(o, i) for i in range(o.blocks + o.draft)])
    elif o.interval != 4:
        yield metadata(f"{a}.full_attention_interval", "u32", o.interval)
    if o.draft:
        yield metadata(f"{a}.nextn_predict_layers", "u32", o.draft)
    for key, value in {"state_size": o.state, "group_count": o.key_groups, "time_step_rank": o.value_heads,
                       "inner_size": o.value_heads * o.state, "conv_kernel": o.taps}.items():
        yield metadata(f"{a}.ssm.{key}", "u32", value)


def two_lengths_metadata(o):
    a = o.architecture
    yield metadata(f"{a}.attention.sliding_window_pattern", "bools", [has_window(o, i) for i in range(o.blocks)])
    yield metadata(f"{a}.attention.shared_kv_layers", "u32", o.sharing)
    yield metadata(f"{a}.embedding_length_per_layer_input", "u32", o.per_layer)
    for key in ("attention.key_length_swa", "attention.value_length_swa", "rope.dimension_count_swa"):
        yield metadata(f"{a}.{key}", "u32", o.window_length)
    yield metadata(f"{a}.rope.freq_base_swa", "f32", 100.0)
    yield metadata(f"{a}.final_logit_softcapping", "f32", 5.0)


def metadata_of(o):
    a, has = o.architecture, ARCHITECTURES[o.architecture]
    yield metadata("general.architecture", "string", a)
    yield metadata("general.name", "string", "random weights")
    whole = {"block_count": o.blocks + o.draft, "embedding_length": o.width, "context_length": o.context,
             "feed_forward_length": o.feed_forward, "attention.head_count": o.heads,
             "attention.head_count_kv": o.kv_heads, "attention.key_length": o.head_length,
             "attention.value_length": o.head_length}
    if "two_lengths" in has:
        whole["attention.head_count_kv"] = [kv_heads_of(o, i) for i in range(o.blocks)]
        whole["feed_forward_length"] = [feed_forward_of(o, i) for i in range(o.blocks)]
    real = {f"attention.layer_norm_{'' if 'layer_norms' in has else 'rms_'}epsilon": 1e-5}
    if "positions" not in has:
        whole["rope.dimension_count"] = o.rotary_columns or o.head_length
        real["rope.freq_base"] = o.base
    if o.window:
        whole["attention.sliding_window"] = o.window
    if o.window_period:
        whole["attention.sliding_window_pattern"] = o.window_period
    if o.experts:
        whole |= {"expert_count": o.experts, "expert_used_count": o.experts_used,
                  "expert_feed_forward_length": o.expert_width}
    if "shared_expert" in has:
        whole["expert_shared_feed_forward_length"] = o.shared_width
    if o.original_context:
        whole["rope.scaling.original_context_length"] = o.original_context
    if o.attention_factor:
        real["rope.scaling.attn_factor"] = o.attention_factor
    if "linear" in has:
        yield from linear_metadata(o)
    if "two_lengths" in has:
        yield from two_lengths_metadata(o)
    if "latent" in has:
        whole |= latent_metadata(o)
        yield metadata(f"{a}.expert_weights_norm", "bool", o.sigmoid)
    for key, value in (("expert_weights_scale", o.expert_scale),
                       ("rope.scaling.yarn_log_multiplier", o.log_multiplier)):
        if value:
            real[key] = value
    for kind, factor in (("yarn", o.yarn), ("linear", o.linear)):
        if factor:
            yield metadata(f"{a}.rope.scaling.type", "string", kind)
            real["rope.scaling.factor"] = factor
            whole.setdefault("rope.scaling.original_context_length", o.context)
    for key, value in whole.items():
        yield metadata(f"{a}.{key}", "u32", value)
    for key, value in real.items():
        yield metadata(f"{a}.{key}", "f32", value)
    if "sections" in has:
        is_narrow = whole["rope.dimension_count"] < 8
        yield metadata(f"{a}.rope.dimension_sections", "i32", [1, 1, 0, 0] if is_narrow else [3, 2, 2, 0])
    if a == "bert":
        yield metadata("bert.attention.causal", "bool", False)
        yield metadata("bert.pooling_type", "u32", 1)
    yield metadata("tokenizer.ggml.tokens", "strings", [f"t{k}" for k in range(min(o.vocabulary, 1 << 12))])
