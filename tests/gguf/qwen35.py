"""The two kinds of attention of Qwen 3.5, in f64, for forward.py.

Written from the published model (transformers' qwen3_5, and "Gated delta networks", arXiv 2412.06464): states are
updated token by token. Files have the heads of values in another order than the model: head j of values goes with head
j mod G of keys.
"""

import numpy


def sigmoid(x):
    return 1 / (1 + numpy.exp(-x))


def is_linear(model, block):
    listed = model.key("attention.recurrent_layers")
    if listed:
        return listed[block]
    return (block + 1) % model.key("full_attention_interval", 4) != 0


def gated_heads(model, x, prefix):
    """q and its gates [tokens, heads, columns]: each head's gate lies behind it."""
    both = model.linear(x, f"{prefix}attn_q").reshape(len(x), model.key("attention.head_count"), -1)
    q, gate = numpy.split(both, 2, axis=-1)
    if model.fault == "gate_order":
        q, gate = gate, q
    return q, 1.0 if model.fault == "output_gate" else sigmoid(gate)


def convolved(model, x, prefix):
    """Each channel along the tokens, the first of which follow zeros."""
    rows = model.linear(x, f"{prefix}attn_qkv")
    kernel = model.tensors[f"{prefix}ssm_conv1d.weight"]
    taps = kernel.shape[1]
    padded = numpy.concatenate([numpy.zeros((taps - 1, rows.shape[1])), rows])
    if model.fault == "tap":
        padded = numpy.roll(padded, 1, axis=0)
    y = sum(padded[j:j + len(rows)] * kernel[:, j] for j in range(taps))
    return y if model.fault == "conv_silu" else y * sigmoid(y)


def unit(model, x):
    return x if model.fault == "unit_heads" else x / numpy.sqrt((x * x).sum(axis=-1, keepdims=True) + model.epsilon)


def scanned(model, q, k, v, decay, beta):
    """The gated delta rule: a state decays, and the value that a key has in it moves to the new one by a share."""
    tokens, heads, width = v.shape
    states, y = numpy.zeros((heads, q.shape[-1], width)), numpy.zeros_like(v)
    for t in range(tokens):
        states = states * numpy.exp(decay[t])[:, None, None]
        stored = numpy.einsum("hkv,hk->hv", states, k[t])
        new = v[t] if model.fault == "delta" else (v[t] - stored) * beta[t][:, None]
        states = states + k[t][:, :, None] * new[:, None, :]
        y[t] = numpy.einsum("hkv,hk->hv", states, q[t]) / numpy.sqrt(q.shape[-1])
    return y


def linear_attention(model, x, prefix):
    length, groups, heads = (model.key(f"ssm.{key}") for key in ("state_size", "group_count", "time_step_rank"))
    tokens = len(x)
    q, k, v = numpy.split(convolved(model, x, prefix), [groups * length, 2 * groups * length], axis=-1)
    of = numpy.arange(heads)
    of = of * groups // heads if model.fault == "repeated_heads" else of % groups
    q, k = (unit(model, part.reshape(tokens, groups, length))[:, of] for part in (q, k))
    v = v.reshape(tokens, heads, length)
    alpha = model.linear(x, f"{prefix}ssm_alpha")
    if model.fault != "time_step":
        alpha = alpha + model.tensors[f"{prefix}ssm_dt.bias"]
    decay = numpy.log1p(numpy.exp(alpha)) * model.tensors[f"{prefix}ssm_a"]
    beta = sigmoid(model.linear(x, f"{prefix}ssm_beta"))
    y = scanned(model, q, k, v, decay if model.fault != "decay" else 0 * decay, beta)
    y = model.norm(y, f"{prefix}ssm_norm")
    z = model.linear(x, f"{prefix}attn_gate").reshape(y.shape)
    y = y * (sigmoid(z) if model.fault == "sigmoid_gate" else z * sigmoid(z))
    return y.reshape(tokens, -1) @ model.tensors[f"{prefix}ssm_out.weight"].T
