#version 450
// The second dispatch of split-KV attention: combines what attention_split_kv.comp found for each split of the keys, in
// their order. A workgroup has one query.
// variants: f32 f16 bf16
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/math.glsl"

const uint MAXIMUM = 0u, SUM = 1u;
#define HELD float
float combine(float a, float b, uint how) { return how == MAXIMUM ? maximum(a, b) : a + b; }
#define PACK 1u
#include "gpu_vulkan/kernels/rows/rows.glsl"  // all lanes work on one row

layout(constant_id = 6) const uint most_splits = 1;

layout(set = 0, binding = 0) readonly buffer Products { float products[]; };
layout(set = 0, binding = 1) readonly buffer Statistics { vec2 statistics[]; };
layout(set = 0, binding = 2) readonly buffer Sinks { STORED sinks[]; };
layout(set = 0, binding = 3) writeonly buffer Results { STORED y[]; };
layout(push_constant) uniform Block {
  uint queries;  // in all heads of the batch
  uint Hq, Sq, Dv, y_head, y_row, splits;
};

const uint least_bits = 0xFF7FFFFFu, minus_infinity_bits = 0xFF800000u;
shared float factors[most_splits];

layout(constant_id = 7) const uint columns = 1;  // elements of y that are computed at a time, a power of two
layout(constant_id = 8) const bool has_sinks = false;
const uint parts = lanes / columns;  // groups of splits that are added side by side
const uint at_once = 8u;             // splits that are read before the first is added
shared float totals[lanes];

/// Element d of the products of some splits, multiplied by their factors.
float weighed(uint first, uint d, uint begin, uint end) {
  float total = 0.0;
  for (uint s = begin; s < end; s += at_once) {
    float found[at_once];
    [[unroll]] for (uint u = 0u; u < at_once; ++u) found[u] = products[(first + min(s + u, end - 1u)) * Dv + d];
    [[unroll]] for (uint u = 0u; u < at_once; ++u)
      if (s + u < end) total = fma(factors[s + u], found[u], total);
  }
  return total;
}

void main() {
  const uint query = group_index();
  if (query >= queries) return;
  const uint first = query * splits;
  float row_max = uintBitsToFloat(minus_infinity_bits), mine = 0.0;
  for (uint s = invocation(); s < splits; s += lanes) row_max = maximum(row_max, statistics[first + s].x);
  row_max = combined(row_max, MAXIMUM, 0u);
  const uint batch = query / Sq / Hq, head = query / Sq % Hq, i = query % Sq;
  // The sink, a score whose value is 0, joins a row with an allowed key, once for all splits.
  float sink = has_sinks ? load(sinks[head]) : 0.0;
  if (floatBitsToUint(sink) == least_bits) sink = uintBitsToFloat(least_bits - 1u);  // as scores are
  const bool is_joined =
      has_sinks && floatBitsToUint(row_max) != minus_infinity_bits && floatBitsToUint(sink) != minus_infinity_bits;
  // Far below a sink large values may still matter: factors would be subnormal, and all are `lift` times as large.
  const bool far = is_joined && row_max - sink < -87.0;
  const float lift = far ? uintBitsToFloat(0x7B800000u) : 1.0;  // 2^120
  if (is_joined) row_max = maximum(row_max, sink);
  const uint bits = floatBitsToUint(row_max);
  const float top = bits == minus_infinity_bits || bits == least_bits ? 0.0 : row_max;
  for (uint s = invocation(); s < splits; s += lanes) {
    const vec2 found = statistics[first + s];
    precise const float root = expf(0.5 * (found.x - top)), lifted = root * lift, product = lifted * root;
    factors[s] = far ? product : expf(found.x - top);
    mine += factors[s] * found.y;
  }
  float row_sum = combined(mine, SUM, 1u);
  if (is_joined) row_sum += lift * expf(sink - top);  // NaN by an infinite sink
  const uint each = (splits + parts - 1u) / parts, begin = min(invocation() / columns * each, splits);
  for (uint column = 0u; column < Dv; column += columns) {
    const uint d = column + invocation() % columns;
    barrier();  // every lane has read the totals before
    totals[invocation()] = d < Dv ? weighed(first, d, begin, min(begin + each, splits)) : 0.0;
    barrier();
    if (invocation() < columns && d < Dv) {
      float total = totals[invocation()];
      for (uint p = 1u; p < parts; ++p) total += totals[p * columns + invocation()];
      float value = divide(total, row_sum);
      if (bits == minus_infinity_bits) value = 0.0;      // every key is masked
      else if (bits == least_bits) value = quiet_nan();  // every key that is not masked scores -inf
      y[batch * Hq * Sq * Dv + head * y_head + i * y_row + d] = store(value);
    }
  }
}
