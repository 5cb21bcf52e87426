#version 450
// Bands of frames: power times filters, summed in a chain by one invocation each, and the largest of what a workgroup
// sums. Its 16 by 16 invocations have `frames_each` frames and `bands_each` bands each, 16 apart from each other; both
// operands come by way of shared memory, `depth` bins at a time, of which the next are read while these are multiplied.
// variants: f32 f16 bf16 f64
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/glsl/arithmetic.glsl"
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/specials_kept.glsl"

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint frames_each = 1;
layout(constant_id = 2) const uint bands_each = 1;

layout(set = 0, binding = 0) readonly buffer Power { STORED power[]; };
layout(set = 0, binding = 1) readonly buffer Filters { STORED filters[]; };
layout(set = 0, binding = 2) writeonly buffer Mel { COMPUTED mel[]; };
layout(set = 0, binding = 3) writeonly buffer Peaks { COMPUTED peaks[]; };  // by workgroup
layout(push_constant) uniform Block { uint spectrograms, frames, bands, bins, frame_tiles, band_tiles; };

#ifdef VARIANT_f64
#define VECTOR dvec4
const uint quads = 4u;
#else
#define VECTOR vec4
const uint quads = 8u;
#endif
const uint side = 16u, depth = 4u * quads, pitch = quads + 1u;  // odd, to keep shared memory's banks apart
const uint tile_frames = side * frames_each, tile_bands = side * bands_each, lines = tile_frames + tile_bands;
const uint reads = lines * quads / (side * side) + (lines * quads % (side * side) == 0u ? 0u : 1u);
shared VECTOR tile[lines * pitch];
shared COMPUTED largest[side * side];
COMPUTED sums[frames_each * bands_each];
VECTOR ahead[reads];

/// Four bins of a line from `bin` on, 0 beyond the last.
VECTOR quad_of_power(uint line, uint bin) {
  VECTOR four = VECTOR(0);
  [[unroll]] for (uint j = 0u; j < 4u; ++j)
    if (bin + j < bins) four[j] = load(power[line * bins + bin + j]);
  return four;
}
VECTOR quad_of_filters(uint line, uint bin) {
  VECTOR four = VECTOR(0);
  [[unroll]] for (uint j = 0u; j < 4u; ++j)
    if (bin + j < bins) four[j] = load(filters[line * bins + bin + j]);
  return four;
}

/// Reads the invocation's share of both tiles from `bin` on; lines beyond the last repeat it.
void read_ahead(uint spectrogram, uint first_frame, uint first_band, uint bin) {
  [[unroll]] for (uint i = 0u; i < reads; ++i) {
    const uint place = i * side * side + gl_LocalInvocationID.x, line = place / quads;
    const uint at = bin + place % quads * 4u;
    if (line < tile_frames)
      ahead[i] = quad_of_power(spectrogram * frames + min(first_frame + line, frames - 1u), at);
    else
      ahead[i] = quad_of_filters(min(first_band + line - tile_frames, bands - 1u), at);
  }
}

void put() {
  [[unroll]] for (uint i = 0u; i < reads; ++i) {
    const uint place = i * side * side + gl_LocalInvocationID.x;
    if (place < lines * quads) tile[place / quads * pitch + place % quads] = ahead[i];
  }
}

void multiply(uint frame, uint band) {
  [[unroll]] for (uint q = 0u; q < quads; ++q) {
    VECTOR by_band[bands_each];
    [[unroll]] for (uint m = 0u; m < bands_each; ++m)
      by_band[m] = tile[(tile_frames + m * side + band) * pitch + q];
    [[unroll]] for (uint f = 0u; f < frames_each; ++f) {
      const VECTOR of_frame = tile[(f * side + frame) * pitch + q];
      [[unroll]] for (uint m = 0u; m < bands_each; ++m) {
        COMPUTED sum = sums[f * bands_each + m];
        sum += of_frame.x * by_band[m].x;
        sum += of_frame.y * by_band[m].y;
        sum += of_frame.z * by_band[m].z;
        sum += of_frame.w * by_band[m].w;
        sums[f * bands_each + m] = sum;
      }
    }
  }
}

/// The largest of what all invocations have, which the first one is told.
COMPUTED largest_of_all(COMPUTED mine) {
  const uint local = gl_LocalInvocationID.x;
  largest[local] = mine;
  for (uint half_way = side * side / 2u; half_way > 0u; half_way /= 2u) {
    barrier();
    if (local < half_way) largest[local] = maximum(largest[local], largest[local + half_way]);
  }
  return largest[0];
}

void main() {
  const uint group = group_index(), local = gl_LocalInvocationID.x, band = local % side, frame = local / side;
  const uint spectrogram = group / (frame_tiles * band_tiles);
  if (spectrogram >= spectrograms) return;  // all of a workgroup
  const uint first_band = group % band_tiles * tile_bands, first_frame = group / band_tiles % frame_tiles * tile_frames;
  [[unroll]] for (uint i = 0u; i < frames_each * bands_each; ++i) sums[i] = COMPUTED(0);
  read_ahead(spectrogram, first_frame, first_band, 0u);
  for (uint bin = 0u; bin < bins; bin += depth) {
    barrier();
    put();
    barrier();
    if (bin + depth < bins) read_ahead(spectrogram, first_frame, first_band, bin + depth);
    multiply(frame, band);
  }
  // A line that repeats the last has a peak that is its.
  COMPUTED peak = sums[0];
  [[unroll]] for (uint f = 0u; f < frames_each; ++f)
    [[unroll]] for (uint m = 0u; m < bands_each; ++m) {
      const uint at_frame = first_frame + f * side + frame, at_band = first_band + m * side + band;
      const COMPUTED sum = sums[f * bands_each + m];
      peak = maximum(peak, sum);
      if (at_frame < frames && at_band < bands) mel[(spectrogram * frames + at_frame) * bands + at_band] = sum;
    }
  peak = largest_of_all(peak);
  if (local == 0u) peaks[group] = peak;
}
