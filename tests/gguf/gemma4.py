"""The blocks of Gemma 4 in f64, for forward.py, written from the published model (transformers' gemma4)."""

import numpy


def single(x):
    """A factor as a constant of an f32 graph has it."""
    return float(numpy.float32(x))


def unscaled_norm(model, x):
    return x / numpy.sqrt(numpy.mean(x * x, axis=-1, keepdims=True) + model.epsilon)


def softmax(x):
    e = numpy.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def per_layer_inputs(model, x, tokens):
    """[tokens, blocks, p]: what the blocks read of the tokens and of their embeddings."""
    p, blocks = model.key("embedding_length_per_layer_input"), model.key("block_count")
    seen = model.linear(x, "per_layer_model_proj") * single(x.shape[-1] ** -0.5)
    seen = seen.reshape(len(x), blocks, p)
    if model.fault != "per_layer_norm":
        seen = model.norm(seen, "per_layer_proj_norm")
    rows = model.tensors["per_layer_token_embd.weight"][tokens].reshape(len(x), blocks, p)
    scale = 1.0 if model.fault == "per_layer_scale" else single(p ** 0.5)
    return (seen + rows * scale) * single(0.5 ** 0.5)


def source(model, block):
    """The last block with keys and values of its own that is of the same kind."""
    pattern = model.key("attention.sliding_window_pattern")
    own = len(pattern) - model.key("attention.shared_kv_layers", 0)
    alike = [i for i in range(own) if pattern[i] == pattern[block]]
    return alike[0] if model.fault == "source" else alike[-1]


def attention(model, x, block, kept):
    prefix, window = f"blk.{block}.", model.window(block)
    heads = lambda name, count: model.linear(x, f"{prefix}attn_{name}").reshape(len(x), count, -1)
    cosines, sines = model.angles(len(x), window)
    q = heads("q", model.key("attention.head_count"))
    q = model.rotate(model.norm(q, f"{prefix}attn_q_norm"), cosines, sines)
    if f"{prefix}attn_k.weight" in model.tensors:
        count = model.key("attention.head_count_kv")[block]
        raw = heads("k", count)
        k = model.rotate(model.norm(raw, f"{prefix}attn_k_norm"), cosines, sines)
        v = heads("v", count) if f"{prefix}attn_v.weight" in model.tensors else raw
        if model.fault == "normed_keys" and v is raw:
            v = model.norm(raw, f"{prefix}attn_k_norm")
        kept[block] = k, v if model.fault == "value_norm" else unscaled_norm(model, v)
    k, v = kept[block if block in kept else source(model, block)]
    of = numpy.arange(q.shape[1]) * k.shape[1] // q.shape[1]
    scores = numpy.einsum("ihd,jhd->hij", q, k[:, of])
    if model.fault == "score_scale":
        scores = scores / numpy.sqrt(q.shape[-1])
    scores[:, model.hidden_keys(len(x), window)] = -1e300
    y = numpy.einsum("hij,jhd->ihd", softmax(scores), v[:, of])
    return model.linear(y.reshape(len(x), -1), f"{prefix}attn_output")


def mixture(model, x, prefix):
    """Experts of the sum after attention, which the router reads by a norm and a scale of its own."""
    rows = unscaled_norm(model, x) if model.fault != "router_norm" else x
    rows = rows * single(x.shape[-1] ** -0.5)
    if model.fault != "router_scale":
        rows = rows * model.tensors[f"{prefix}ffn_gate_inp.scale"]
    probabilities = softmax(model.linear(rows, f"{prefix}ffn_gate_inp"))
    normed, y = model.norm(x, f"{prefix}pre_ffw_norm_2"), numpy.zeros_like(x)
    for row, score in enumerate(probabilities):
        chosen = numpy.argsort(-score, kind="stable")[:model.key("expert_used_count")]
        weights = score[chosen] / (1 if model.fault == "gate_sum" else score[chosen].sum())
        if model.fault != "expert_scale":
            weights = weights * model.tensors[f"{prefix}ffn_down_exps.scale"][chosen]
        y[row] = sum(weight * model.expert(normed[row], prefix, expert) for expert, weight in zip(chosen, weights))
    return model.norm(y, f"{prefix}post_ffw_norm_2")


def feed_forward(model, x, prefix):
    normed = model.norm(x, f"{prefix}ffn_norm")
    hidden = model.opened(model.linear(normed, f"{prefix}ffn_gate"), model.linear(normed, f"{prefix}ffn_up"))
    y = model.linear(hidden, f"{prefix}ffn_down")
    if f"{prefix}ffn_gate_inp.weight" in model.tensors:
        y = model.norm(y, f"{prefix}post_ffw_norm_1")
        y = y if model.fault == "experts" else y + mixture(model, x, prefix)
    return model.norm(y, f"{prefix}post_ffw_norm")


def blocks(model, x, tokens):
    """All blocks on embeddings that are scaled."""
    has_inputs, kept = model.key("embedding_length_per_layer_input", 0) > 0, {}
    inputs = per_layer_inputs(model, x, tokens) if has_inputs else None
    for i in range(model.key("block_count")):
        prefix = f"blk.{i}."
        attended = attention(model, model.norm(x, f"{prefix}attn_norm"), i, kept)
        x = x + (attended if model.fault == "post_norms" else model.norm(attended, f"{prefix}post_attention_norm"))
        x = x + feed_forward(model, x, prefix)
        if has_inputs and model.fault != "per_layer":
            opened = model.opened(model.linear(x, f"{prefix}inp_gate"), inputs[:, i])
            x = x + model.norm(model.linear(opened, f"{prefix}proj"), f"{prefix}post_norm")
        if model.fault != "block_scale":
            x = x * model.tensors[f"{prefix}layer_output_scale.weight"]
    return x
