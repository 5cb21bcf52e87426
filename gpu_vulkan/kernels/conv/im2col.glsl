// The im2col tile of a convolution: the elements that filters meet, as a matrix of K (channels and taps) by positions
// (of all images). A workgroup of `invocations` fetches a tile of `depth` x `columns` without a division for each
// element: an invocation keeps its positions and goes along K. The includer defines these constants, TAPS (0: as
// pushed), most_taps, k_aligned (K is a multiple of depth), extent_k(), the buffer x, PACK, the neighbouring positions
// that it stores together, and FETCHED, what an element is in registers; LOADS_16_BIT where it has 16 bits.
#ifndef PLUMB_IM2COL_GLSL
#define PLUMB_IM2COL_GLSL

#include "gpu_vulkan/kernels/conv/convolution.glsl"

const uint packs = columns / PACK, side = packs < 32u ? packs : 32u;  // packs of a line, invocations along it
const uint packs_each = packs / side, positions_each = packs_each * PACK;
const uint lines_at_once = invocations / side, lines_each = depth / lines_at_once;

// Where the kernel begins in x at each position of this invocation, and a bit for each coordinate of a tap on each
// axis: whether it is in_image the image there.
uint corner[positions_each], in_image[positions_each];
FETCHED fetched_x[lines_each * positions_each];
// How far a tap is from the corner, and the bits of its coordinates.
shared uvec2 tap_table[most_taps];
uint taps_of_channel() { return TAPS != 0u ? TAPS : taps(); }

uint first_line() { return gl_LocalInvocationID.x / side; }
uint first_pack() { return gl_LocalInvocationID.x % side; }

// The bits of an axis' coordinates that are in_image at its position o.
uint bits_inside(uint axis, uint o) {
  const uvec2 taps = taps_inside(axis, o);
  return (1u << taps.y) - (1u << taps.x);
}

void prepare_image(uint block, uint column) {
  for (uint tap = gl_LocalInvocationID.x; tap < taps_of_channel(); tap += invocations) {
    const uvec3 at = uvec3(tap / (kernel[1] * kernel[2]), tap / kernel[2] % kernel[1], tap % kernel[2]);
    tap_table[tap] = uvec2(position_in_x(0u, tap_of(tap)),
                           1u << at.x | 1u << (kernel[0] + at.y) | 1u << (kernel[0] + kernel[1] + at.z));
  }
  [[unroll]] for (uint e = 0; e < positions_each; ++e) {
    const uint s = column + (e / PACK * side + first_pack()) * PACK + e % PACK, o = s % positions_of_image();
    const uint plane = (s / positions_of_image() * group + block) * channels;
    corner[e] = position_in_x(plane, corner_of(o));
    const uvec3 at = uvec3(o / (positions[1] * positions[2]), o / positions[2] % positions[1], o % positions[2]);
    const uint bits = bits_inside(0u, at.x) | bits_inside(1u, at.y) << kernel[0] |
                      bits_inside(2u, at.z) << (kernel[0] + kernel[1]);
    in_image[e] = s < batch * positions_of_image() ? bits : 0u;
  }
}

// Fetches the lines' elements from position `first` of K on, zeros outside the images and beyond K. For a 16-bit
// element that is not there the first element is read and not used: faster than a branch, but not for wider elements.
void fetch_image(uint first) {
  const uint volume = extent[0] * extent[1] * extent[2];
  [[unroll]] for (uint l = 0; l < lines_each; ++l) {
    const uint at_k = first + first_line() + l * lines_at_once, channel = at_k / taps_of_channel();
    const uvec2 tap = tap_table[at_k - channel * taps_of_channel()];
    const uint from = channel * volume + tap.x, bits = k_aligned || at_k < extent_k() ? tap.y : 1u << 31;
    [[unroll]] for (uint e = 0; e < positions_each; ++e) {
      const bool exists = (in_image[e] & bits) == bits;
#ifdef LOADS_16_BIT
      const FETCHED value = FETCHED(x[exists ? corner[e] + from : 0u]);
      fetched_x[l * positions_each + e] = exists ? value : FETCHED(0);
#else
      fetched_x[l * positions_each + e] = FETCHED(0);
      if (exists) fetched_x[l * positions_each + e] = FETCHED(x[corner[e] + from]);
#endif
    }
  }
}

#endif
