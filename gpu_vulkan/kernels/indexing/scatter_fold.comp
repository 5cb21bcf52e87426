#version 450
// variants: f32 f16 bf16 f64 i64 i32 u32 i16 i8 u8 u16
// Combines the updates of each target with what is there in y, in the order of their
// numbers: `sorted` has them by target. The invocation of the first update of a target and of
// one column does it alone. So that a target with many updates is no long chain, a
// first dispatch folds each chunk of updates that all have one target, and the
// second takes such chunks whole: at most 2 chunk + count / chunk steps, a multiple
// of sqrt(count). No atomics, no order that depends on the device.
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/glsl/divide.glsl"
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/glsl/index.glsl"

const uint SUM = 0u, MEAN = 1u, PRODUCT = 2u, MAX = 3u, MIN = 4u, L1 = 5u, SUM_SQUARE = 6u, L2 = 7u, LOG_SUM = 8u,
           LOG_SUM_EXP = 9u;  // as in reduce.comp
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint function = SUM;
layout(constant_id = 2) const bool to_partials = false;  // the first dispatch
layout(constant_id = 3) const bool of_partials = false;  // there has been one
layout(constant_id = 4) const bool has_x = true;         // y begins as x; else as 0, which is no operand
layout(constant_id = 5) const bool is_in_place = false;  // y is x, which a fault leaves as it is

#if defined(VARIANT_f32) || defined(VARIANT_f16) || defined(VARIANT_bf16) || defined(VARIANT_f64)
#include "gpu_vulkan/kernels/rows/reduce_float.glsl"
#else
#include "gpu_vulkan/kernels/rows/reduce_integer.glsl"
#endif

struct Entry {
  uint target, update;
};
layout(set = 0, binding = 0) readonly buffer Sorted { Entry sorted[]; };
layout(set = 0, binding = 1) readonly buffer Updates { STORED updates[]; };
layout(set = 0, binding = 2) readonly buffer Faults { uint faults[]; };
layout(set = 0, binding = 3) buffer Partials { HELD partials[]; };  // one for each chunk and column
layout(set = 0, binding = 4) buffer Y { STORED y[]; };
layout(push_constant) uniform Block {
  uvec2 by_columns, by_inner;
  uint count;           // updates
  uint chunk;           // updates of a partial result
  uint columns, inner;  // elements of an update; of them, neighbours
  uint rows;            // targets
};

HELD with_update(HELD folded, uint update, uint column) {
  const uint outer = divide(column, by_inner), at = (outer * count + update) * inner + (column - outer * inner);
  return combine(folded, term(load(updates[at]), function, folded), function);
}

void fold_chunk(uint number, uint column) {
  const uint begin = number * chunk;
  if (begin + chunk > count || sorted[begin].target != sorted[begin + chunk - 1u].target) return;
  HELD folded = neutral(function);
  for (uint k = begin; k < begin + chunk; ++k) folded = with_update(folded, sorted[k].update, column);
  partials[number * columns + column] = folded;
}

void fold_target(uint first, uint column) {
  const uint target = sorted[first].target, outer = divide(column, by_inner);
  if (target == 0xFFFFFFFFu || (first > 0u && sorted[first - 1u].target == target)) return;
  const uint at = (outer * rows + target) * inner + (column - outer * inner);
  HELD folded = neutral(function);
  if (has_x) folded = term(load(y[at]), function, folded);
  for (uint k = first; k < count && sorted[k].target == target;) {
    if (of_partials && k % chunk == 0u && k + chunk <= count && sorted[k + chunk - 1u].target == target) {
      folded = combine(folded, partials[k / chunk * columns + column], function);
      k += chunk;
    } else {
      folded = with_update(folded, sorted[k].update, column);
      ++k;
    }
  }
  y[at] = store(finish(folded, 1u));
}

void main() {
  const uint i = invocation_index(), number = divide(i, by_columns), column = i - number * columns;
  if (to_partials) {
    if (number < count / chunk) fold_chunk(number, column);
  } else if (number < count && !(is_in_place && faults[0] != 0u)) {
    fold_target(number, column);
  }
}
