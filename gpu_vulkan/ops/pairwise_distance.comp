#version 450
// variants: f32 f16 bf16 f64
// Distances of rows of x from rows of y. A workgroup computes a tile of them: it stages `depth` columns of its rows in
// shared memory, zeros where they reach over the edge, and each invocation sums rows_each x columns_each distances, in
// chunks of `depth` terms: terms of one sign may creep, and short chains bound that. Few sums leave the range; these
// are made again from memory.
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/specials_kept.glsl"
#include "gpu_vulkan/glsl/units.glsl"

#include "gpu_vulkan/kernels/common/element_constants.glsl"
const uint EUCLIDEAN = 0u, SQUARED_EUCLIDEAN = 1u, COSINE = 2u, MANHATTAN = 3u;
layout(constant_id = 6) const uint metric = EUCLIDEAN;

layout(push_constant) uniform Block { uint n, m, d; };
layout(set = 0, binding = 0) readonly buffer X { STORED x[]; };
layout(set = 0, binding = 1) readonly buffer Y { STORED y[]; };
layout(set = 0, binding = 2) writeonly buffer Distances { STORED distances[]; };

const uint x_pitch = rows + 1, y_pitch = columns + 1;  // the odd element keeps shared memory's banks apart
shared COMPUTED x_tile[depth * x_pitch];
shared COMPUTED y_tile[depth * y_pitch];

#ifdef VARIANT_f64
const double least = 1e-270lf, most = 1e300lf;
#else
const float least = 1e-18, most = 1e36;
#endif

/// Whether a sum of squares has lost nothing below the range, and products of its root stay in it.
bool is_ordinary(COMPUTED sum) { return sum >= least && sum <= most; }

COMPUTED difference(uint row, uint column, uint k) { return load(x[row * d + k]) - load(y[column * d + k]); }

/// The root of a sum of squares in units of the power of two below the largest difference.
COMPUTED euclidean_in_units(uint row, uint column) {
  COMPUTED peak = COMPUTED(0), sum = COMPUTED(0);
  for (uint k = 0; k < d; ++k) peak = maximum(peak, abs(difference(row, column, k)));
  const int exponent = exponent_of(peak);
  for (uint k = 0; k < d; ++k) {
    const COMPUTED t = in_units(difference(row, column, k), exponent);
    sum += t * t;
  }
  return scale(square_root(sum), exponent);
}

COMPUTED cosine(COMPUTED product, COMPUTED of_x, COMPUTED of_y) {
  const COMPUTED distance = COMPUTED(1) - divide(product, square_root(of_x) * square_root(of_y));
  return distance < COMPUTED(0) ? COMPUTED(0) : distance > COMPUTED(2) ? COMPUTED(2) : distance;  // NaN stays
}

/// The cosine distance of rows in units of their own.
COMPUTED cosine_in_units(uint row, uint column) {
  COMPUTED x_peak = COMPUTED(0), y_peak = COMPUTED(0), product = COMPUTED(0), of_x = COMPUTED(0), of_y = COMPUTED(0);
  for (uint k = 0; k < d; ++k) {
    x_peak = maximum(x_peak, magnitude(load(x[row * d + k])));
    y_peak = maximum(y_peak, magnitude(load(y[column * d + k])));
  }
  if (is_nan(x_peak) || is_nan(y_peak)) return x_peak + y_peak;
  if (is_zero(x_peak) || is_zero(y_peak)) return COMPUTED(is_zero(x_peak) && is_zero(y_peak) ? 0 : 1);
  const int x_exponent = exponent_of(x_peak), y_exponent = exponent_of(y_peak);
  for (uint k = 0; k < d; ++k) {
    const COMPUTED a = in_units(load(x[row * d + k]), x_exponent), b = in_units(load(y[column * d + k]), y_exponent);
    product += a * b;
    of_x += a * a;
    of_y += b * b;
  }
  return cosine(product, of_x, of_y);
}

COMPUTED term(COMPUTED a, COMPUTED b) {
  if (metric == COSINE) return a * b;
  const COMPUTED t = a - b;
  return metric == MANHATTAN ? abs(t) : t * t;
}

COMPUTED finished(COMPUTED sum, COMPUTED of_x, COMPUTED of_y, uint row, uint column) {
  if (metric == COSINE)
    return is_ordinary(of_x) && is_ordinary(of_y) ? cosine(sum, of_x, of_y) : cosine_in_units(row, column);
  if (metric != EUCLIDEAN) return sum;
  return is_ordinary(sum) ? square_root(sum) : euclidean_in_units(row, column);
}

void stage(uint row, uint column, uint at_k) {
  for (uint i = gl_LocalInvocationID.x; i < rows * depth; i += gl_WorkGroupSize.x) {
    const uint r = i / depth, k = i % depth;
    const bool in_bounds = row + r < n && at_k + k < d;
    x_tile[k * x_pitch + r] = in_bounds ? load(x[(row + r) * d + at_k + k]) : COMPUTED(0);
  }
  for (uint i = gl_LocalInvocationID.x; i < columns * depth; i += gl_WorkGroupSize.x) {
    const uint c = i / depth, k = i % depth;
    const bool in_bounds = column + c < m && at_k + k < d;
    y_tile[k * y_pitch + c] = in_bounds ? load(y[(column + c) * d + at_k + k]) : COMPUTED(0);
  }
}

const uint across = columns / columns_each, down = rows / rows_each, each = rows_each * columns_each;
// The sums of an invocation: those of distances, then the squares of its rows of x and of y.
const uint of_rows = each, of_columns = each + rows_each, held = metric == COSINE ? of_columns + columns_each : each;

void main() {
  const uint tiles_across = (m + columns - 1) / columns, tile = group_index();
  const uint row = tile / tiles_across * rows, column = tile % tiles_across * columns;
  const uint my_row = gl_LocalInvocationID.x / across, my_column = gl_LocalInvocationID.x % across;
  if (row >= n) return;

  COMPUTED sums[held], chunk[held];
  [[unroll]] for (uint e = 0; e < held; ++e) sums[e] = COMPUTED(0);
  for (uint at_k = 0; at_k < d; at_k += depth) {
    stage(row, column, at_k);
    barrier();
    [[unroll]] for (uint e = 0; e < held; ++e) chunk[e] = COMPUTED(0);
    for (uint t = 0; t < depth; ++t) {
      COMPUTED left[rows_each], right[columns_each];
      [[unroll]] for (uint i = 0; i < rows_each; ++i) left[i] = x_tile[t * x_pitch + my_row + i * down];
      [[unroll]] for (uint j = 0; j < columns_each; ++j) right[j] = y_tile[t * y_pitch + my_column + j * across];
      [[unroll]] for (uint e = 0; e < each; ++e) chunk[e] += term(left[e / columns_each], right[e % columns_each]);
      if (metric != COSINE) continue;
      [[unroll]] for (uint i = 0; i < rows_each; ++i) chunk[of_rows + i] += left[i] * left[i];
      [[unroll]] for (uint j = 0; j < columns_each; ++j) chunk[of_columns + j] += right[j] * right[j];
    }
    [[unroll]] for (uint e = 0; e < held; ++e) sums[e] += chunk[e];
    barrier();
  }
  const bool is_cosine = metric == COSINE;
  [[unroll]] for (uint e = 0; e < each; ++e) {
    const uint i = e / columns_each, j = e % columns_each;
    const uint r = row + my_row + i * down, c = column + my_column + j * across;
    if (r >= n || c >= m) continue;
    const COMPUTED of_x = sums[is_cosine ? of_rows + i : 0u], of_y = sums[is_cosine ? of_columns + j : 0u];
    distances[r * m + c] = store(finished(sums[e], of_x, of_y, r, c));
  }
}
