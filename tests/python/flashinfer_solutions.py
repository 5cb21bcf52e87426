"""Right and wrong solutions of the definitions in docs/example/flashinfer, by NumPy in f64, rounded once."""
import math
import time

import numpy as np


def wide(*arrays):
    return [array.astype(np.float64) for array in arrays]


def gemm(A, B, C):
    a, b = wide(A, B)
    C[...] = a @ b.T


def normalised(x, weight, eps=1e-5):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + eps) * weight


def rmsnorm(hidden_states, weight, output):
    output[...] = normalised(*wide(hidden_states, weight))


def gemma_rmsnorm(hidden_states, weight, output):
    x, w = wide(hidden_states, weight)
    output[...] = normalised(x, 1 + w)


def fused_add_rmsnorm(hidden_states, residual, weight, output, updated_residual):
    x, r, w = wide(hidden_states, residual, weight)
    output[...], updated_residual[...] = normalised(x + r, w), x + r


def gemma_fused_add_rmsnorm(hidden_states, residual, weight, output):
    x, r, w = wide(hidden_states, residual, weight)
    output[...] = normalised(x + r, 1 + w)


def embedding(input_ids, weight, output):
    for row, number in enumerate(input_ids):
        output[row] = weight[number]


def turned(x, cos, sin, first, second):
    y = x.copy()
    y[..., first] = x[..., first] * cos - x[..., second] * sin
    y[..., second] = x[..., second] * cos + x[..., first] * sin
    return y


def rope_by_cache(q, k, cos_sin_cache, positions, q_out, k_out, first, second):
    q, k, table = wide(q, k, cos_sin_cache)
    half = table.shape[1] // 2
    cos, sin = table[positions, None, :half], table[positions, None, half:]
    q_out[...], k_out[...] = turned(q, cos, sin, first, second), turned(k, cos, sin, first, second)


def rope_neox(q, k, cos_sin_cache, positions, q_out, k_out):
    rope_by_cache(q, k, cos_sin_cache, positions, q_out, k_out, slice(0, 6), slice(6, 12))


def rope_gptj(q, k, cos_sin_cache, positions, q_out, k_out):
    rope_by_cache(q, k, cos_sin_cache, positions, q_out, k_out, slice(0, 12, 2), slice(1, 12, 2))


def rope_tables(q, k, cos, sin, q_embed, k_embed):
    q, k, cos, sin = wide(q, k, cos, sin)
    for x, y in ((q, q_embed), (k, k_embed)):
        half = x.shape[-1] // 2
        y[...] = x * cos[:, None] + np.concatenate([-x[..., half:], x[..., :half]], -1) * sin[:, None]


def attend(q, k, v, sm_scale, output, lse):
    """One sequence, causal: its last query sees all keys."""
    q, k, v = wide(q, k, v)
    for head in range(q.shape[1]):
        of_keys = head // (q.shape[1] // k.shape[1])
        for row in range(len(q)):
            seen = len(k) - len(q) + row + 1
            scores = k[:seen, of_keys] @ q[row, head] * sm_scale
            powers = np.exp(scores - scores.max())
            output[row, head] = powers @ v[:seen, of_keys] / powers.sum()
            lse[row, head] = (np.log(powers.sum()) + scores.max()) / math.log(2)


def ragged(q, k, v, qo_indptr, kv_indptr, sm_scale, output, lse):
    for b in range(len(kv_indptr) - 1):
        rows, keys = slice(*qo_indptr[b:b + 2]), slice(*kv_indptr[b:b + 2])
        attend(q[rows], k[keys], v[keys], sm_scale, output[rows], lse[rows])


def paged_prefill(q, k_cache, v_cache, qo_indptr, kv_indptr, kv_indices, kv_last_page_len, sm_scale, output, lse):
    for b in range(len(kv_indptr) - 1):
        pages, rows = kv_indices[slice(*kv_indptr[b:b + 2])], slice(*qo_indptr[b:b + 2])
        count = (len(pages) - 1) * k_cache.shape[1] + kv_last_page_len[b] if len(pages) else 0
        if count == 0:
            output[rows], lse[rows] = 0, -np.inf
            continue
        k, v = (cache[pages].reshape(-1, *cache.shape[2:])[:count] for cache in (k_cache, v_cache))
        attend(q[rows], k, v, sm_scale, output[rows], lse[rows])


def paged_decode(q, k_cache, v_cache, kv_indptr, kv_indices, kv_last_page_len, sm_scale, output, lse):
    one_each = np.arange(len(q) + 1)
    paged_prefill(q, k_cache, v_cache, one_each, kv_indptr, kv_indices, kv_last_page_len, sm_scale, output, lse)


# Wrong ones.

def gemm_without_last_column(A, B, C):
    gemm(A, B, C)
    C[:, -1] = A[:, :-1].astype(np.float64) @ B[-1, :-1].astype(np.float64)


def rmsnorm_without_eps(hidden_states, weight, output):
    output[...] = normalised(*wide(hidden_states, weight), eps=2e-5)


def fused_add_rmsnorm_keeps_residual(hidden_states, residual, weight, output, updated_residual):
    fused_add_rmsnorm(hidden_states, residual, weight, output, updated_residual)
    updated_residual[...] = residual


def embedding_of_next(input_ids, weight, output):
    output[...] = weight[(input_ids + 1) % len(weight)]


def ragged_sees_the_future(q, k, v, qo_indptr, kv_indptr, sm_scale, output, lse):
    ragged(q, k, v, qo_indptr, kv_indptr, sm_scale, output, lse)
    keys = slice(*kv_indptr[-2:])
    attend(q[-1:], k[keys], v[keys], sm_scale, output[-2:-1], lse[-1:])


def paged_decode_reads_whole_pages(q, k_cache, v_cache, kv_indptr, kv_indices, kv_last_page_len, sm_scale, output, lse):
    full = np.full_like(kv_last_page_len, k_cache.shape[1])
    paged_decode(q, k_cache, v_cache, kv_indptr, kv_indices, full, sm_scale, output, lse)


def natural_lse(q, k, v, qo_indptr, kv_indptr, sm_scale, output, lse):
    ragged(q, k, v, qo_indptr, kv_indptr, sm_scale, output, lse)
    lse *= math.log(2)


def gemm_with_nan(A, B, C):
    gemm(A, B, C)
    C[-1, -1] = np.nan


def gemm_in_half(A, B):
    return (A @ B.T).astype(np.float16)


def gemm_transposed(A, B):
    return B @ A.T


def gemm_returned(A, B):
    return A @ B.T


def gemm_raises(A, B, C):
    raise ValueError("no kernel for this shape")


def gemm_sleeps(A, B, C):
    time.sleep(60)
