// The product of weights and values of attention_coopmat.comp for a block whose values are special. It is included
// there, behind all that it uses.
#ifndef PLUMB_ATTENTION_SPECIAL_GLSL
#define PLUMB_ATTENTION_SPECIAL_GLSL

float element_of_v(uint key, uint column) {
  const uint word = tile[v_tile + key * v_pitch + column / 8u][column / 2u % 4u];
  return float_from_f16(word >> column % 2u * 16u & 0xFFFFu);
}

/// multiply_weights_and_v for a block whose v has infinities or NaNs, element by element: they may not be multiplied by
/// the weight of a masked key, nor by the low part of one. Only a weight that is 0 in f64, too, is 0.
void multiply_special(bool one_by_one) {
  for (uint s = 0; s < m_tiles * n_tiles; ++s) {
    const uint g = s / n_tiles, t = s % n_tiles;
    ACCUMULATOR weights;
    [[unroll]] for (uint f = 0; f < m_tiles * n_tiles; ++f)
      [[unroll]] for (uint c = 0; c < weights.length(); ++c)
        if (f == s) {
          const float x = scores[f][c] - row_max[f / n_tiles][c];
          weights[c] = power(x, top);
          row_sum[f / n_tiles][c] += weights[c];
          if (x * log2_scale < -1074.0 || scores[f][c] == least_score) weights[c] = 0.0;  // as in f64
          if (one_by_one && floatBitsToUint(scores[f][c]) == minus_infinity_bits) weights[c] = -1.0;
        }
    coopMatStore(weights, scratch, scratch_begin, N, gl_CooperativeMatrixLayoutRowMajor);
    subgroupBarrier();
    float weight[N];  // the weights of the lane's row
    [[unroll]] for (uint key = 0; key < N; ++key) weight[key] = number(scratch_begin + row * N + key);
    subgroupBarrier();
    for (uint j = 0; j < dv_tiles; ++j) {
      for (uint c = 0; c < columns_each; ++c) {
        const uint column = part * columns_each + c;
        float found = 0.0;
        [[unroll]] for (uint key = 0; key < N; ++key)
          if (weight[key] != -1.0) found = fma(weight[key], element_of_v(t * N + key, j * N + column), found);
        set_number(scratch_begin + row * N + column, found);
      }
      subgroupBarrier();
      ACCUMULATOR added;
      coopMatLoad(added, scratch, scratch_begin, N, gl_CooperativeMatrixLayoutRowMajor);
      [[unroll]] for (uint f = 0; f < m_tiles * dv_tiles; ++f)
        if (f == g * dv_tiles + j) acc[f] += added;
      subgroupBarrier();
    }
  }
}

#endif
