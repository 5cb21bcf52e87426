// The results of attention_coopmat2.comp element by element, from the operands themselves: where values are special. It
// is included behind everything else of that shader.
#ifndef PLUMB_ATTENTION_ONE_BY_ONE_GLSL
#define PLUMB_ATTENTION_ONE_BY_ONE_GLSL

/// The score of one key for one query, by a dot product of its own.
float single_score(uint i, uint j, out bool masked) {
  masked = is_masked_by_position(i, j);
  if (masked) return 0.0;
  float x = 0.0;
  for (uint d = 0; d < D; ++d) x = fma(load(q[q_begin() + i * q_row + d]), load(k[k_begin() + j * k_row + d]), x);
  return bounded(score(x, i, j, masked), least);
}

/// Computes all results anew, element by element: where v has infinities or NaNs, which may not be multiplied by the
/// weight of a masked key, nor by a part of one, or where v is so large that weighted sums may overflow. An infinity is
/// not multiplied by 0 unless the weight is 0 in f64, too.
void store_one_by_one() {
  for (uint e = gl_LocalInvocationID.x; e < rows * (Dv / 8u); e += invocations) {
    const uint i = first + e / (Dv / 8u), column = e % (Dv / 8u) * 8u;
    bool masked;
    float largest = no_row_max, sum = 0.0, lift = 0.0, found[8];
    for (uint j = begin; j < end; ++j) {
      const float x = single_score(i, j, masked);
      if (!masked) largest = maximum(largest, x);
    }
    const float sink = has_sinks ? load(sinks[head]) : 0.0;
    const bool has_sink = has_sinks && largest != no_row_max && !is_minus_infinity(sink);
    if (has_sink) {  // not -inf, which is what a key of the least score has
      const float bounded_sink = is_nan(sink) ? sink : max(sink, 0.5 * least);
      // Far below a sink large values may still matter: all weights are then 2^lift times as large.
      if ((bounded_sink - largest) * 1.44269504 > 125.0) lift = 64.0;
      largest = maximum(largest, bounded_sink);
      sum = lift > 0.0 ? 18446744073709551616.0 : rescale_factor((bounded_sink - largest) * 1.44269504);
    }
    [[unroll]] for (uint c = 0; c < 8u; ++c) found[c] = 0.0;
    for (uint j = begin; j < end; ++j) {
      const float difference = (single_score(i, j, masked) - largest) * 1.44269504;
      if (masked) continue;
      const float weight = rescale_factor(difference + lift);
      sum += weight;
      const float of_infinity = difference < -1074.0 ? 0.0 : 1.0;  // as in f64
      [[unroll]] for (uint c = 0; c < 8u; ++c) {
        const float x = load(v[v_begin() + j * v_row + column + c]);
        found[c] = fma(is_infinite(x) ? of_infinity : weight, x, found[c]);
      }
    }
    if (is_nan(largest) || largest == positive_infinity() || largest == least) sum = quiet_nan();
    uint x[8];
    for (uint c = 0; c < 8u; ++c) x[c] = uint(store(largest == no_row_max ? 0.0 : divide(found[c], sum)));
    if (i < Sq) wide_y[(y_begin() + i * y_row + column) / 8u] = joined_halves(x);
  }
}

#endif
