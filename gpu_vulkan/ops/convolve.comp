#version 450
// Convolution of lines as direct sums: a workgroup makes a tile of one line. Pieces of 256 taps, and the samples that
// they meet, are staged in shared memory; an invocation makes 8 neighbouring samples, past which both move in
// registers. Sums are made in chunks of 256 taps, the first tap of the filter first.
// variants: f32 f16 bf16 f64
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_control_flow_attributes : require
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/glsl/index.glsl"

layout(local_size_x_id = 0) in;

layout(set = 0, binding = 0) readonly buffer X { STORED x[]; };
layout(set = 0, binding = 1) readonly buffer H { STORED h[]; };
layout(set = 0, binding = 2) writeonly buffer Y { STORED y[]; };
layout(push_constant) uniform Block { uint lines, tiles, length_of_line, taps; };

const uint each = 8, piece = 256, tile = each * gl_WorkGroupSize.x;

/// A place in shared memory: neighbouring invocations read 8 apart, in banks of their own.
uint padded(uint i) { return i + (i >> 5); }

const uint met_size = tile + piece;
shared COMPUTED met[met_size + met_size / 32];
shared COMPUTED filter_piece[piece];

/// Samples first - 255 - k0 + i of the line, which are 0 where there are none.
void stage(uint line, int first, uint k0) {
  for (uint i = gl_LocalInvocationID.x; i < met_size; i += gl_WorkGroupSize.x) {
    const int at = first - int(k0) - int(piece - 1u) + int(i);
    COMPUTED sample_there = COMPUTED(0);
    if (at >= 0 && at < int(length_of_line)) sample_there = load(x[line * length_of_line + uint(at)]);
    met[padded(i)] = sample_there;
  }
  for (uint i = gl_LocalInvocationID.x; i < piece; i += gl_WorkGroupSize.x) {
    COMPUTED tap = COMPUTED(0);
    if (k0 + i < taps) tap = load(h[k0 + i]);
    filter_piece[i] = tap;
  }
}

/// Adds all taps of a piece, 8 at a time, to the samples of the invocation: of the 15 that they meet 7 are known.
void add_all(inout COMPUTED chunk[each]) {
  const uint last = gl_LocalInvocationID.x * each + piece - 1u;  // where tap 0 meets the first sample
  COMPUTED window[2 * each - 1];
  [[unroll]] for (uint i = 0; i + 1 < each; ++i) window[i] = met[padded(last + 1u + i)];
  for (uint t = 0; t < piece; t += each) {
    [[unroll]] for (uint i = 0; i + 1 < each; ++i) window[each + i] = window[i];
    [[unroll]] for (uint i = 0; i < each; ++i) window[i] = met[padded(last - t - (each - 1u) + i)];
    [[unroll]] for (uint j = 0; j < each; ++j) {
      const COMPUTED tap = filter_piece[t + j];
      [[unroll]] for (uint i = 0; i < each; ++i) chunk[i] += tap * window[each - 1 + i - j];
    }
  }
}

/// Adds the taps of a piece one by one, where there are fewer, or where some meet nothing: these add nothing then.
void add_present(int first, uint k0, inout COMPUTED chunk[each]) {
  const int mine = first + int(gl_LocalInvocationID.x * each);
  for (uint t = 0; t < min(piece, taps - k0); ++t) {
    const COMPUTED tap = filter_piece[t];
    [[unroll]] for (uint i = 0; i < each; ++i) {
      const int at = mine + int(i) - int(k0 + t);
      if (at >= 0 && at < int(length_of_line))
        chunk[i] += tap * met[padded(gl_LocalInvocationID.x * each + piece - 1u - t + i)];
    }
  }
}

void main() {
  const uint line = group_index() / tiles;
  if (line >= lines) return;
  const int first = int(group_index() % tiles * tile);
  const uint samples = length_of_line + taps - 1u;
  // The taps that meet a sample of this tile, from a multiple of a piece on.
  const uint begin = uint(max(first - int(length_of_line) + 1, 0)) / piece * piece;
  const uint end = min(taps, uint(first) + tile);
  COMPUTED sums[each];
  [[unroll]] for (uint i = 0; i < each; ++i) sums[i] = COMPUTED(0);
  for (uint k0 = begin; k0 < end; k0 += piece) {
    barrier();
    stage(line, first, k0);
    barrier();
    COMPUTED chunk[each];
    [[unroll]] for (uint i = 0; i < each; ++i) chunk[i] = COMPUTED(0);
    const bool is_inside = first >= int(k0 + piece - 1u) && first + int(tile) - int(k0) <= int(length_of_line);
    if (is_inside && k0 + piece <= taps)
      add_all(chunk);
    else
      add_present(first, k0, chunk);
    [[unroll]] for (uint i = 0; i < each; ++i) sums[i] += chunk[i];
  }
  const uint mine = uint(first) + gl_LocalInvocationID.x * each;
  [[unroll]] for (uint i = 0; i < each; ++i)
    if (mine + i < samples) y[line * samples + mine + i] = store(sums[i]);
}
