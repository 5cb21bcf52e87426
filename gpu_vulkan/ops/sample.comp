#version 450
// variants: f32 f16 bf16 f64
// Draws a token from a row of logits (ops.md B.4); a workgroup has a row. Logits over the temperature become keys, by
// whose bits they are ranked, and weights are whole numbers, added exactly in 64 bits. Cuts of the ranking are found
// digit by digit of the keys, from the highest on; the token up to which weights exceed what was drawn, by sums of
// stretches of the row.
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/glsl/arithmetic.glsl"
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/philox.glsl"
#include "gpu_vulkan/glsl/specials_kept.glsl"
#ifdef VARIANT_f64
#include "gpu_vulkan/glsl/math_f64.glsl"
#define PAIR dvec2
#define VARIANT_w8 1
#else
#include "gpu_vulkan/glsl/math.glsl"
#define PAIR vec2
#define VARIANT_w4 1
#endif
#include "gpu_vulkan/kernels/sort/ordered.glsl"

layout(local_size_x_id = 0) in;  // at least `bins`, a power of two
const uint bins = 256u, whole_share = 1u << 24, most_weight = 1u << 30;

layout(set = 0, binding = 0) readonly buffer Logits { STORED logits[]; };
layout(set = 0, binding = 1) readonly buffer Offset { uint offset; };
layout(set = 0, binding = 2) coherent buffer Keys { KEY keys[]; };
layout(set = 0, binding = 3) coherent buffer Weights { uint weights[]; };  // 0 of tokens that are not kept
layout(set = 0, binding = 4) writeonly buffer Tokens { uint tokens[]; };
#define FAULTS_BINDING 5
#include "gpu_vulkan/glsl/faults.glsl"
layout(push_constant) uniform Block {
  uvec2 seed;
  uvec2 factor;  // the bits of the temperature's significand, in [1, 2)
  uint rows, count, stream;
  uint top_k;         // 0: all
  uint least, share;  // the least weight, and the share of all weights in 2^-24
  uint index_words, node;
  int exponent;  // that of the temperature
};

// Sums of 64 bits have their low word first.
shared uvec2 part[gl_WorkGroupSize.x];
shared uint bin_low[bins], bin_high[bins];
shared uint found;

uint lane() { return gl_LocalInvocationID.x; }

uvec2 add(uvec2 a, uvec2 b) {
  uint carry;
  const uint low = uaddCarry(a.x, b.x, carry);
  return uvec2(low, a.y + b.y + carry);
}
uvec2 add(uvec2 a, uint b) { return add(a, uvec2(b, 0u)); }
bool is_less(uvec2 a, uvec2 b) { return a.y != b.y ? a.y < b.y : a.x < b.x; }

/// The upper 64 bits of a product.
uvec2 upper_product(uvec2 a, uvec2 b) {
  uint high_low, low_low, high_a, low_a, high_b, low_b, high_high, low_high;
  umulExtended(a.x, b.x, high_low, low_low);
  umulExtended(a.x, b.y, high_a, low_a);
  umulExtended(a.y, b.x, high_b, low_b);
  umulExtended(a.y, b.y, high_high, low_high);
  const uvec2 middle = add(add(uvec2(low_a, high_a), high_low), low_b);
  return add(add(uvec2(low_high, high_high), middle.y), high_b);
}

#ifdef VARIANT_f64
const uint digits = 8u;
COMPUTED number(uvec2 bits) { return packDouble2x32(bits); }
KEY key_of(COMPUTED z) { return key_of(unpackDouble2x32(z), FLOAT); }
COMPUTED number_of(KEY key) {
  return packDouble2x32((key.y & 0x80000000u) != 0u ? uvec2(key.x, key.y ^ 0x80000000u) : ~key);
}
uvec2 pair_of(KEY key) { return key; }
KEY key_in(uvec2 pair) { return pair; }

uint digit_of(KEY key, uint d) { return (d < 4u ? key.y : key.x) >> 24u - 8u * (d & 3u) & 255u; }
KEY with_digit(KEY key, uint d, uint digit) {
  const uint bits = digit << 24u - 8u * (d & 3u);
  return key | (d < 4u ? uvec2(0u, bits) : uvec2(bits, 0u));
}
/// Whether two keys have the same digits before number d.
bool is_alike(KEY a, KEY b, uint d) {
  if (d == 0u) return true;
  if (d < 4u) return (a.y ^ b.y) >> 32u - 8u * d == 0u;
  return a.y == b.y && (d == 4u || (a.x ^ b.x) >> 64u - 8u * d == 0u);
}

/// The weight of a finite z, and of the greatest.
precise uint weight_of_finite(COMPUTED z, COMPUTED top) { return uint(expf(z - top) * 1073741824.0lf); }
#else
const uint digits = 4u;
COMPUTED number(uvec2 bits) { return uintBitsToFloat(bits.x); }
KEY key_of(COMPUTED z) { return key_of(floatBitsToUint(z), FLOAT); }
COMPUTED number_of(KEY key) { return uintBitsToFloat((key & 0x80000000u) != 0u ? key ^ 0x80000000u : ~key); }
uvec2 pair_of(KEY key) { return uvec2(key, 0u); }
KEY key_in(uvec2 pair) { return pair.x; }

uint digit_of(KEY key, uint d) { return key >> 24u - 8u * d & 255u; }
KEY with_digit(KEY key, uint d, uint digit) { return key | digit << 24u - 8u * d; }
bool is_alike(KEY a, KEY b, uint d) { return d == 0u || (a ^ b) >> 32u - 8u * d == 0u; }

precise uint weight_of_finite(COMPUTED z, COMPUTED top) { return uint(exp_scaled(z - top, 30)); }
#endif

/// a / b within 0.51 ulp, both in [1, 2): the rest of a division is exact, fused or not.
precise COMPUTED nearest_quotient(COMPUTED a, COMPUTED b) {
  const COMPUTED q = a / b;
  const PAIR product = product_of(q, b);
  return q + ((a - product.x) - product.y) / b;
}

/// A logit over the temperature.
COMPUTED over_temperature(COMPUTED logit) {
  if (is_zero(logit) || is_nan(logit) || is_infinite(logit)) return logit;
  int own;
  const COMPUTED m = significand_of(logit, own);
  return with_sign(scale(nearest_quotient(m, number(factor)), own - exponent), logit);
}

/// 2^30 e^(z - top), cut off. An infinity leaves nothing to those below it.
uint weight_of(COMPUTED z, COMPUTED top) {
  if (is_infinite(top) || is_infinite(z)) return key_of(z) == key_of(top) ? most_weight : 0u;
  return weight_of_finite(z, top);
}

/// The greatest of all invocations' keys.
KEY greatest(KEY mine) {
  part[lane()] = pair_of(mine);
  barrier();
  for (uint apart = gl_WorkGroupSize.x / 2u; apart > 0u; apart /= 2u) {
    if (lane() < apart && before(key_in(part[lane()]), key_in(part[lane() + apart])))
      part[lane()] = part[lane() + apart];
    barrier();
  }
  const KEY most = key_in(part[0]);
  barrier();
  return most;
}

/// Sums over the invocations before this one, and over all.
struct Sums {
  uvec2 below, total;
};

Sums sums_of(uvec2 mine) {
  part[lane()] = mine;
  barrier();
  for (uint apart = 1u; apart < gl_WorkGroupSize.x; apart *= 2u) {
    const uvec2 own = part[lane()], other = lane() < apart ? uvec2(0u) : part[lane() - apart];
    barrier();
    part[lane()] = add(own, other);
    barrier();
  }
  const Sums sums = Sums(lane() == 0u ? uvec2(0u) : part[lane() - 1u], part[gl_WorkGroupSize.x - 1u]);
  barrier();
  return sums;
}

/// The neighbouring tokens that an invocation has where their order counts.
struct Stretch {
  uint begin, end;
};

Stretch stretch() {
  const uint each = (count + gl_WorkGroupSize.x - 1u) / gl_WorkGroupSize.x, begin = min(lane() * each, count);
  return Stretch(begin, min(begin + each, count));
}

/// A cut through the ranking: kept are tokens of a greater key, and those of this key before an index.
struct Cut {
  KEY key;
  uint end;
};

bool is_kept(KEY key, uint j, Cut cut) { return before(cut.key, key) || (key == cut.key && j < cut.end); }

/// The measure of a cut's tokens: one for each, or their weights.
uint measure(bool by_weight, uint at) { return by_weight ? weights[at] : 1u; }

/// Adds up the tokens whose keys have these first digits by the digit behind them, and by all greater digits.
void add_up(bool by_weight, KEY prefix, uint d, uint first) {
  if (lane() < bins) bin_low[lane()] = bin_high[lane()] = 0u;
  if (lane() == 0u) found = 0u;
  barrier();
  for (uint j = lane(); j < count; j += gl_WorkGroupSize.x) {
    const KEY key = keys[first + j];
    const uint x = measure(by_weight, first + j);
    if (x == 0u || !is_alike(key, prefix, d)) continue;
    const uint digit = digit_of(key, d), old = atomicAdd(bin_low[digit], x);
    if (old > 0xFFFFFFFFu - x) atomicAdd(bin_high[digit], 1u);
  }
  barrier();
  for (uint apart = 1u; apart < bins; apart *= 2u) {
    uvec2 sum = uvec2(0u);
    if (lane() < bins) sum = uvec2(bin_low[lane()], bin_high[lane()]);
    if (lane() + apart < bins) sum = add(sum, uvec2(bin_low[lane() + apart], bin_high[lane() + apart]));
    barrier();
    if (lane() < bins) {
      bin_low[lane()] = sum.x;
      bin_high[lane()] = sum.y;
    }
    barrier();
  }
}

/// The sum of the bins from this one on.
uvec2 sum_from(uint b) { return b < bins ? uvec2(bin_low[b], bin_high[b]) : uvec2(0u); }

/// The index behind the token at which those of this key, with `above` before them, measure as much as wanted.
uint end_of(bool by_weight, KEY key, uvec2 above, uvec2 wanted, uint first) {
  const Stretch mine = stretch();
  uvec2 sum = uvec2(0u);
  for (uint j = mine.begin; j < mine.end; ++j)
    if (keys[first + j] == key) sum = add(sum, measure(by_weight, first + j));
  uvec2 so_far = add(above, sums_of(sum).below);
  if (is_less(so_far, wanted) && !is_less(add(so_far, sum), wanted)) {
    uint j = mine.begin;
    for (; j < mine.end && is_less(so_far, wanted); ++j)
      if (keys[first + j] == key) so_far = add(so_far, measure(by_weight, first + j));
    found = j;
  }
  barrier();
  const uint end = found;
  barrier();
  return end;
}

/// The shortest beginning of the ranking that measures as much as wanted, which is at least 1 and at most all.
Cut find_cut(bool by_weight, uvec2 wanted, uint first) {
  KEY prefix = first_key;
  uvec2 above = uvec2(0u);
  for (uint d = 0u; d < digits; ++d) {
    add_up(by_weight, prefix, d, first);
    if (lane() < bins && is_less(add(above, sum_from(lane() + 1u)), wanted) &&
        !is_less(add(above, sum_from(lane())), wanted))
      found = lane();
    barrier();
    prefix = with_digit(prefix, d, found);
    above = add(above, sum_from(found + 1u));
    barrier();
  }
  return Cut(prefix, end_of(by_weight, prefix, above, wanted, first));
}

/// Makes the keys of a row; the greatest of them.
KEY rank_row(uint first) {
  KEY mine = first_key;
  for (uint j = lane(); j < count; j += gl_WorkGroupSize.x) {
    const COMPUTED logit = load(logits[first + j]);
    if (is_nan(logit)) fault(node, first + j, uvec2(0u));
    const KEY key = key_of(over_temperature(logit));
    keys[first + j] = key;
    if (before(mine, key)) mine = key;
  }
  memoryBarrierBuffer();
  return greatest(mine);
}

/// Weighs the tokens of a row; those behind the cut, and lighter ones than the least, are dropped. Returns what this
/// invocation's weigh.
uvec2 weigh_row(uint first, COMPUTED top, Cut ranked) {
  uvec2 sum = uvec2(0u);
  for (uint j = lane(); j < count; j += gl_WorkGroupSize.x) {
    const KEY key = keys[first + j];
    const uint weight = is_kept(key, j, ranked) ? weight_of(number_of(key), top) : 0u;
    const uint kept = weight >= least ? weight : 0u;
    weights[first + j] = kept;
    sum = add(sum, kept);
  }
  memoryBarrierBuffer();
  barrier();
  return sum;
}

uint drawn_weight(uint first, uint j, Cut cut) { return is_kept(keys[first + j], j, cut) ? weights[first + j] : 0u; }

/// Writes the first token up to which the weights that are kept exceed what is drawn.
void draw(uint row, uint first, Cut cut) {
  const Stretch mine = stretch();
  uvec2 sum = uvec2(0u);
  for (uint j = mine.begin; j < mine.end; ++j) sum = add(sum, drawn_weight(first, j, cut));
  const Sums sums = sums_of(sum);
  const uvec4 words = philox(uvec4(row, 0u, stream, offset), seed);
  const uvec2 r = upper_product(words.yx, sums.total);
  if (is_less(r, sums.below) || !is_less(r, add(sums.below, sum))) return;
  uvec2 so_far = sums.below;
  uint token = mine.begin;
  for (; token < mine.end; ++token) {
    so_far = add(so_far, drawn_weight(first, token, cut));
    if (is_less(r, so_far)) break;
  }
  for (uint word = 0u; word < index_words; ++word) tokens[row * index_words + word] = word == 0u ? token : 0u;
}

void main() {
  const uint row = group_index(), first = row * count;
  if (row >= rows) return;
  const COMPUTED top = number_of(rank_row(first));
  if (is_infinite(top) && sign_of(top) != 0u) {
    if (lane() == 0u) fault(node, row, uvec2(1u, 0u));
    return;
  }
  // First by rank, then by weight.
  Cut cut = Cut(first_key, count);
  for (uint turn = 0u; turn < 2u; ++turn) {
    const bool by_weight = turn == 1u;
    uvec2 wanted = uvec2(top_k, 0u);
    if (by_weight) {
      const uvec2 sum = weigh_row(first, top, cut);
      cut = Cut(first_key, count);
      if (share == whole_share) break;
      wanted = upper_product(sums_of(sum).total, uvec2(0u, share << 8));
      if (wanted.y == 0u) wanted.x = max(wanted.x, 1u);
    } else if (top_k == 0u) {
      continue;
    }
    cut = find_cut(by_weight, wanted, first);
  }
  draw(row, first, cut);
}
