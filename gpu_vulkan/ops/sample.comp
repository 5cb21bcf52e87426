#version 450
// variants: w4 w8
// Draws a token from a row of keys that sample_keys.comp made (ops.md B.4); a workgroup has a row. Weights are whole
// numbers, added exactly in 64 bits. Cuts of the ranking are found digit by digit of the keys, from the highest on, and
// the token up to which weights exceed what was drawn, as the last of equal ones that are kept, by sums of stretches of
// the row.
#extension GL_GOOGLE_include_directive : require
#ifdef VARIANT_w8
#define VARIANT_f64 1
#endif
#include "gpu_vulkan/glsl/arithmetic.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/philox.glsl"
#include "gpu_vulkan/glsl/specials_kept.glsl"
#ifdef VARIANT_w8
#include "gpu_vulkan/glsl/math_f64.glsl"
#define REAL double
#else
#include "gpu_vulkan/glsl/math.glsl"
#define REAL float
#endif
#include "gpu_vulkan/kernels/sort/ordered.glsl"

layout(local_size_x_id = 0) in;  // at least `bins`, a power of two
const uint bins = 256u, whole_share = 1u << 24, most_weight = 1u << 30;

layout(set = 0, binding = 0) readonly buffer Keys { KEY keys[]; };
layout(set = 0, binding = 1) readonly buffer Offset { uint offset; };
layout(set = 0, binding = 2) coherent buffer Weights { uint weights[]; };  // 0 of tokens that are not kept
layout(set = 0, binding = 3) writeonly buffer Tokens { uint tokens[]; };
#define FAULTS_BINDING 4
#include "gpu_vulkan/glsl/faults.glsl"
layout(push_constant) uniform Block {
  uvec2 seed;
  uint rows, count, stream;
  uint top_k;         // 0: all
  uint least, share;  // the least weight, and the share of all weights in 2^-24
  uint index_words, node;
};

// Sums of 64 bits have their low word first.
shared uvec2 part[gl_WorkGroupSize.x];
shared uint bin_low[bins], bin_high[bins];
shared uint found;
shared uvec2 reached;

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

#ifdef VARIANT_w8
const uint digits = 8u;
REAL number_of(KEY key) {
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
precise uint weight_of_finite(REAL z, REAL top) { return uint(expf(z - top) * 1073741824.0lf); }
#else
const uint digits = 4u;
REAL number_of(KEY key) { return uintBitsToFloat((key & 0x80000000u) != 0u ? key ^ 0x80000000u : ~key); }
uvec2 pair_of(KEY key) { return uvec2(key, 0u); }
KEY key_in(uvec2 pair) { return pair.x; }

uint digit_of(KEY key, uint d) { return key >> 24u - 8u * d & 255u; }
KEY with_digit(KEY key, uint d, uint digit) { return key | digit << 24u - 8u * d; }
bool is_alike(KEY a, KEY b, uint d) { return d == 0u || (a ^ b) >> 32u - 8u * d == 0u; }

precise uint weight_of_finite(REAL z, REAL top) { return uint(exp_scaled(z - top, 30)); }
#endif

/// 2^30 e^(z - top), cut off. An infinity leaves nothing to those below it.
uint weight_of(KEY key, KEY top_key) {
  const REAL z = number_of(key), top = number_of(top_key);
  if (is_infinite(top) || is_infinite(z)) return key == top_key ? most_weight : 0u;
  return weight_of_finite(z, top);
}

/// The greatest key of a row.
KEY greatest(uint first) {
  KEY mine = first_key;
  for (uint j = lane(); j < count; j += gl_WorkGroupSize.x)
    if (before(mine, keys[first + j])) mine = keys[first + j];
  part[lane()] = pair_of(mine);
  barrier();
  for (uint apart = gl_WorkGroupSize.x / 2u; apart > 0u; apart /= 2u) {
    if (lane() < apart && before(key_in(part[lane()]), key_in(part[lane() + apart])))
      part[lane()] = part[lane() + apart];
    barrier();
  }
  return key_in(part[0]);
}

/// The sum of what the invocations before this one have.
uvec2 sum_below(uvec2 mine) {
  part[lane()] = mine;
  barrier();
  for (uint apart = 1u; apart < gl_WorkGroupSize.x; apart *= 2u) {
    const uvec2 own = part[lane()], other = lane() < apart ? uvec2(0u) : part[lane() - apart];
    barrier();
    part[lane()] = add(own, other);
    barrier();
  }
  return lane() == 0u ? uvec2(0u) : part[lane() - 1u];
}

/// A cut through the ranking: kept are tokens of a greater key, and those of this key before an index.
struct Cut {
  KEY key;
  uint end;
};

bool is_kept(KEY key, uint j, Cut cut) { return before(cut.key, key) || (key == cut.key && j < cut.end); }

// A row is gone through in three turns: its ranking is cut by number and then by weight, and a token is drawn.
const uint BY_NUMBER = 0u, BY_WEIGHT = 1u, DRAW = 2u;

uint measure(uint turn, uint at) { return turn == BY_NUMBER ? 1u : weights[at]; }

/// Adds up the tokens whose keys have these first digits by the digit behind them, and by all greater digits.
void add_up(uint turn, KEY prefix, uint d, uint first) {
  if (lane() < bins) bin_low[lane()] = bin_high[lane()] = 0u;
  if (lane() == 0u) found = 0u;
  barrier();
  for (uint j = lane(); j < count; j += gl_WorkGroupSize.x) {
    const KEY key = keys[first + j];
    const uint x = measure(turn, first + j);
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

/// A token's part of what a turn adds up behind its digits: those of one key, or those that are kept.
uint part_of(uint turn, uint first, uint j, Cut cut) {
  const bool counts = turn == DRAW ? is_kept(keys[first + j], j, cut) : keys[first + j] == cut.key;
  return counts ? measure(turn, first + j) : 0u;
}

/// Sets `found` to the index behind the token at which the parts, and `above` before them, are as much as wanted, and
/// `reached` to how much that is.
void find_end(uint turn, Cut cut, uvec2 above, uvec2 wanted, uint first) {
  const uint each = (count + gl_WorkGroupSize.x - 1u) / gl_WorkGroupSize.x, begin = min(lane() * each, count);
  const uint end = min(begin + each, count);
  uvec2 sum = uvec2(0u);
  for (uint j = begin; j < end; ++j) sum = add(sum, part_of(turn, first, j, cut));
  uvec2 so_far = add(above, sum_below(sum));
  if (is_less(so_far, wanted) && !is_less(add(so_far, sum), wanted)) {
    uint j = begin;
    for (; j < end && is_less(so_far, wanted); ++j) so_far = add(so_far, part_of(turn, first, j, cut));
    found = j;
    reached = so_far;
  }
  barrier();
}

/// Weighs the tokens of a row; those behind the cut, and lighter ones than the least, are dropped.
void weigh_row(uint first, KEY top, Cut ranked) {
  for (uint j = lane(); j < count; j += gl_WorkGroupSize.x) {
    const KEY key = keys[first + j];
    const uint weight = is_kept(key, j, ranked) ? weight_of(key, top) : 0u;
    weights[first + j] = weight >= least ? weight : 0u;
  }
  memoryBarrierBuffer();
  barrier();
}

void main() {
  const uint row = group_index(), first = row * count;
  if (row >= rows) return;
  const KEY top = greatest(first);
  if (is_infinite(number_of(top)) && sign_of(number_of(top)) != 0u) {
    if (lane() == 0u) fault(node, row, uvec2(1u, 0u));
    return;
  }
  const Cut all = Cut(first_key, count);
  Cut cut = all;
  uvec2 total = uvec2(0u);
  for (uint turn = BY_NUMBER; turn <= DRAW; ++turn) {
    if (turn == BY_NUMBER && top_k == 0u) continue;
    if (turn == BY_WEIGHT) weigh_row(first, top, cut);
    uvec2 wanted = uvec2(top_k, 0u), above = uvec2(0u);
    if (turn == DRAW) {
      wanted = add(upper_product(philox(uvec4(row, 0u, stream, offset), seed).yx, total), 1u);
    } else {
      cut = all;
      KEY prefix = first_key;
      for (uint d = 0u; d < digits; ++d) {
        add_up(turn, prefix, d, first);
        if (turn == BY_WEIGHT && d == 0u) {
          total = sum_from(0u);
          if (share == whole_share) break;
          wanted = upper_product(total, uvec2(0u, share << 8));
          if (wanted.y == 0u) wanted.x = max(wanted.x, 1u);
        }
        if (lane() < bins && is_less(add(above, sum_from(lane() + 1u)), wanted) &&
            !is_less(add(above, sum_from(lane())), wanted))
          found = lane();
        barrier();
        prefix = with_digit(prefix, d, found);
        above = add(above, sum_from(found + 1u));
        barrier();
      }
      if (turn == BY_WEIGHT && share == whole_share) continue;
      cut.key = prefix;
    }
    find_end(turn, cut, above, wanted, first);
    cut.end = found;
    if (turn == BY_WEIGHT) total = reached;
  }
  const uint token = cut.end - 1u;
  if (lane() == 0u)
    for (uint word = 0u; word < index_words; ++word) tokens[row * index_words + word] = word == 0u ? token : 0u;
}
