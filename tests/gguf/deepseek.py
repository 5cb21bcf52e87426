"""Latent attention and the mixtures of experts of DeepSeek V2 and V3, in f64, for forward.py.

Written from the papers (arXiv 2405.04434, 2.1 and 2.2; 2412.19437, 2.1): every head has keys and values of its own,
which are made out of the latent vectors first, where plumb takes their matrices to the other side of the products.
"""

import math

import numpy


def softmax(x):
    e = numpy.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def queries(model, x, prefix):
    """q [tokens, heads, columns], of x or of a compressed vector."""
    if not model.key("attention.q_lora_rank"):
        q = model.linear(x, f"{prefix}attn_q")
    else:
        compressed = model.linear(x, f"{prefix}attn_q_a")
        if model.fault != "q_norm":
            compressed = model.norm(compressed, f"{prefix}attn_q_a_norm")
        q = model.linear(compressed, f"{prefix}attn_q_b")
    return q.reshape(len(x), model.key("attention.head_count"), -1)


def up_projections(model, prefix, columns):
    """The matrices [heads, columns, rank] of keys without rotary columns, and those [heads, .., rank] of values."""
    of, heads = model.tensors, model.key("attention.head_count")
    if f"{prefix}attn_kv_b.weight" in of:
        both = of[f"{prefix}attn_kv_b.weight"]
        if model.fault == "kv_order":
            both = both.reshape(heads, -1, both.shape[-1])
            return both[:, -columns:], both[:, :-columns]
        both = both.reshape(heads, -1, both.shape[-1])
        return both[:, :columns], both[:, columns:]
    return of[f"{prefix}attn_k_b.weight"].transpose(0, 2, 1), of[f"{prefix}attn_v_b.weight"]


def score_scale(model, columns):
    """1/sqrt(columns) times the square of YaRN's magnitude, 1 + 0.1 mscale_all_dim ln(factor)."""
    scale, factor = 1 / math.sqrt(columns), model.key("rope.scaling.factor", 1.0)
    if model.key("rope.scaling.type") == "yarn" and model.fault != "score_scale":
        scale *= (1 + model.key("rope.scaling.yarn_log_multiplier", 0.0) * math.log(factor)) ** 2
    return float(numpy.float32(scale))  # as an attribute of an f32 op has it


def attention(model, x, prefix):
    tokens, rank, n = len(x), model.key("attention.kv_lora_rank"), model.key("rope.dimension_count")
    cosines, sines = model.angles(tokens, None)
    q = queries(model, x, prefix)
    q_plain, q_rotary = q[..., :-n], model.rotate(q[..., -n:], cosines, sines)
    both = model.linear(x, f"{prefix}attn_kv_a_mqa")
    latent, k_rotary = both[:, :rank], both[:, None, rank:]
    if model.fault != "latent_norm":
        latent = model.norm(latent, f"{prefix}attn_kv_a_norm")
    if model.fault != "key_rotation":
        k_rotary = model.rotate(k_rotary, cosines, sines)
    of_keys, of_values = up_projections(model, prefix, q_plain.shape[-1])
    if model.fault == "heads":
        of_values = numpy.roll(of_values, 1, axis=0)
    k_plain = numpy.einsum("jr,hcr->jhc", latent, of_keys)
    values = numpy.einsum("jr,hcr->jhc", latent, of_values)
    scores = numpy.einsum("ihc,jhc->hij", q_plain, k_plain)
    scores += numpy.einsum("ihc,jc->hij", q_rotary, k_rotary[:, 0])
    scores *= score_scale(model, q.shape[-1])
    scores[:, model.hidden_keys(tokens, None)] = -1e300
    y = numpy.einsum("hij,jhc->ihc", softmax(scores), values)
    return model.linear(y.reshape(tokens, -1), f"{prefix}attn_output")


def chosen(model, scores, bias):
    """Which experts a token goes to. V3 adds a bias for this alone, and takes the best two experts of a group as its
    score; V2 the best one."""
    routing = scores + (0 if model.fault == "routing_bias" else bias)
    groups = model.key("expert_group_count", 1)
    of_groups = numpy.sort(routing.reshape(groups, -1), axis=-1)
    best = 2 if (model.key("expert_gating_func") == 2) != (model.fault == "group_score") else 1
    order = numpy.argsort(-of_groups[:, -best:].sum(axis=-1), kind="stable")
    kept = order[:groups if model.fault == "groups" else model.key("expert_group_used_count", 1)]
    is_kept = numpy.repeat(numpy.isin(numpy.arange(groups), kept), len(routing) // groups)
    return numpy.argsort(-numpy.where(is_kept, routing, -numpy.inf), kind="stable")[:model.key("expert_used_count")]


def mixture(model, x, prefix):
    logits, y = model.linear(x, f"{prefix}ffn_gate_inp"), numpy.zeros_like(x)
    has_sigmoid = (model.key("expert_gating_func") == 2) != (model.fault == "gating")
    scores = 1 / (1 + numpy.exp(-logits)) if has_sigmoid else softmax(logits)
    bias = model.tensors.get(f"{prefix}exp_probs_b.bias", 0)
    for row, score in enumerate(scores):
        experts = chosen(model, score, bias)
        weights = (score + bias if model.fault == "weighed_bias" else score)[experts]
        if model.key("expert_weights_norm") != (model.fault == "gate_sum"):
            weights = weights / weights.sum()
        if model.fault != "expert_scale":
            weights = weights * model.key("expert_weights_scale", 1.0)
        y[row] = sum(weight * model.expert(x[row], prefix, expert) for expert, weight in zip(experts, weights))
    if model.fault == "shared" or f"{prefix}ffn_up_shexp.weight" not in model.tensors:
        return y
    hidden = model.opened(model.linear(x, f"{prefix}ffn_gate_shexp"), model.linear(x, f"{prefix}ffn_up_shexp"))
    return y + model.linear(hidden, f"{prefix}ffn_down_shexp")
