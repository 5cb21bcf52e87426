// Eight neighbouring weights at once, of which the first is the weight 8 j of all rows: what they share, a scale and
// perhaps a minimum, is decoded once. The values are those of weight_at in every bit: scale times code is exact.
#ifndef PLUMB_PACKED_EIGHT_GLSL
#define PLUMB_PACKED_EIGHT_GLSL

#include "gpu_vulkan/glsl/packed/weight.glsl"

/// Eight bytes from any place on.
uvec2 eight_bytes(uint at) {
  const uint word = at >> 2, shift = (at & 3u) * 8u, low = codes[word], high = codes[word + 1u];
  if (shift == 0u) return uvec2(low, high);
  return uvec2(low >> shift | high << 32u - shift, high >> shift | codes[word + 2u] << 32u - shift);
}

uint byte_of(uvec2 bytes, uint i) { return bitfieldExtract(i < 4u ? bytes.x : bytes.y, int(i & 3u) * 8, 8); }
int signed_byte_of(uvec2 bytes, uint i) {
  return bitfieldExtract(int(i < 4u ? bytes.x : bytes.y), int(i & 3u) * 8, 8);
}

/// The codes of eight weights, what they are multiplied with, and what is taken from the products.
struct Eight {
  float q[8];
  float scale, minimum;
};

Eight small_eight(uint b, uint e) {
  Eight w;
  const bool has_minimum = format == Q4_1 || format == Q5_1, has_five = format == Q5_0 || format == Q5_1;
  const uint head = has_minimum ? 4u : 2u;
  w.scale = half_at(b);
  w.minimum = has_minimum ? -half_at(b + 2u) : 0.0;
  const uvec2 bytes = eight_bytes(b + head + (has_five ? 4u : 0u) + (format == Q8_0 ? e : e & 15u));
  const uint fifths = has_five ? word_at(b + head) >> e : 0u, shift = (e >> 4) * 4u;
  [[unroll]] for (uint i = 0; i < 8u; ++i) {
    const uint nibble = byte_of(bytes, i) >> shift & 15u;
    if (format == Q8_0) w.q[i] = float(signed_byte_of(bytes, i));
    else if (format == IQ4_NL) w.q[i] = uneven(nibble);
    else if (format == Q4_0) w.q[i] = float(int(nibble) - 8);
    else if (format == Q5_0) w.q[i] = float(int(nibble | (fifths >> i & 1u) << 4) - 16);
    else w.q[i] = float(nibble | (fifths >> i & 1u) << 4);
  }
  return w;
}

/// q2_k, q4_k and q5_k: codes of unsigned bits, a scale and a minimum.
Eight with_minima(uint b, uint e) {
  Eight w;
  const bool is_two = format == Q2_K;
  uvec2 factors;
  if (is_two) {
    const uint both = byte_at(b + (e >> 4));
    factors = uvec2(both & 15u, both >> 4);
  } else {
    factors = scale_and_minimum(b + 4u, e >> 5);
  }
  w.scale = half_at(b + (is_two ? 80u : 0u)) * float(factors.x);
  w.minimum = half_at(b + (is_two ? 82u : 2u)) * float(factors.y);
  const uint l = e & 31u, first = is_two ? 16u + (e >> 7) * 32u : (format == Q4_K ? 16u : 48u) + (e >> 6) * 32u;
  const uint shift = is_two ? (e >> 5 & 3u) * 2u : (e >> 5 & 1u) * 4u, mask = is_two ? 3u : 15u;
  const uvec2 bytes = eight_bytes(b + first + l), high = format == Q5_K ? eight_bytes(b + 16u + l) : uvec2(0u);
  [[unroll]] for (uint i = 0; i < 8u; ++i)
    w.q[i] = float(byte_of(bytes, i) >> shift & mask | (byte_of(high, i) >> (e >> 5) & 1u) << 4);
  return w;
}

Eight q3_k_eight(uint b, uint e) {
  Eight w;
  const uint part = e >> 4, group = e >> 5, l = e & 31u;
  const uint low = byte_at(b + 96u + (part & 7u)) >> (part >> 3) * 4u & 15u;
  const uint high = byte_at(b + 104u + (part & 3u)) >> (part >> 2) * 2u & 3u;
  w.scale = half_at(b + 108u) * float(int(low | high << 4) - 32);
  w.minimum = 0.0;
  const uvec2 bytes = eight_bytes(b + 32u + (e >> 7) * 32u + l), bits = eight_bytes(b + l);
  [[unroll]] for (uint i = 0; i < 8u; ++i) {
    const int q = int(byte_of(bytes, i) >> (group & 3u) * 2u & 3u);
    w.q[i] = float(q - ((byte_of(bits, i) >> group & 1u) != 0u ? 0 : 4));
  }
  return w;
}

Eight q6_k_eight(uint b, uint e) {
  Eight w;
  const uint quarter = e >> 5 & 3u, l = e & 31u;
  w.scale = half_at(b + 208u) * float(signed_byte_at(b + 192u + (e >> 4)));
  w.minimum = 0.0;
  const uvec2 low = eight_bytes(b + (e >> 7) * 64u + (quarter & 1u) * 32u + l);
  const uvec2 high = eight_bytes(b + 128u + (e >> 7) * 32u + l);
  [[unroll]] for (uint i = 0; i < 8u; ++i) {
    const uint nibble = byte_of(low, i) >> (quarter >> 1) * 4u & 15u;
    w.q[i] = float(int(nibble | (byte_of(high, i) >> quarter * 2u & 3u) << 4) - 32);
  }
  return w;
}

Eight iq4_xs_eight(uint b, uint e) {
  Eight w;
  const uint j = e >> 5;
  const uint low = byte_at(b + 4u + (j >> 1)) >> (j & 1u) * 4u & 15u, high = pair_at(b + 2u) >> j * 2u & 3u;
  w.scale = half_at(b) * float(int(low | high << 4) - 32);
  w.minimum = 0.0;
  const uvec2 bytes = eight_bytes(b + 8u + j * 16u + (e & 15u));
  [[unroll]] for (uint i = 0; i < 8u; ++i) w.q[i] = uneven(byte_of(bytes, i) >> (e >> 4 & 1u) * 4u & 15u);
  return w;
}

precise float of_eight(Eight w, uint i) {
  const bool has_minimum = format == Q4_1 || format == Q5_1 || format == Q2_K || format == Q4_K || format == Q5_K;
  return has_minimum ? w.scale * w.q[i] - w.minimum : w.scale * w.q[i];
}

/// Whether the format has a decoder of eight weights; else they are decoded one by one.
bool has_eight() { return format <= IQ4_XS && format != MXFP4; }

/// Weights i to i + 7 of such a format, i a multiple of 8.
Eight eight_at(uint i) {
  if (format < MXFP4) {
    const uint bytes = format == Q4_1 ? 20u : format == Q5_0 ? 22u : format == Q5_1 ? 24u : format == Q8_0 ? 34u : 18u;
    return small_eight((i >> 5) * bytes, i & 31u);
  }
  const uint block = i >> 8, e = i & 255u;
  if (format == Q3_K) return q3_k_eight(block * 110u, e);
  if (format == Q6_K) return q6_k_eight(block * 210u, e);
  if (format == IQ4_XS) return iq4_xs_eight(block * 136u, e);
  return with_minima(block * (format == Q2_K ? 84u : format == Q4_K ? 144u : 176u), e);
}

#endif
