#version 450
// variants: f32 f16 bf16 f64
// Chooses the experts of a token, which a workgroup has: the scores of groups, the best of them, and of these the best
// experts one after the other, each the first behind the one before it. All are compared by the bits of what is
// computed in.
#extension GL_GOOGLE_include_directive : require
#include "gpu_vulkan/glsl/arithmetic.glsl"
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/glsl/index.glsl"
#include "gpu_vulkan/glsl/specials_kept.glsl"
#ifdef VARIANT_f64
#define VARIANT_w8 1
#else
#define VARIANT_w4 1
#endif
#include "gpu_vulkan/kernels/sort/ordered.glsl"

layout(local_size_x_id = 0) in;  // a power of two
layout(constant_id = 1) const uint most_groups = 64;

layout(set = 0, binding = 0) readonly buffer Scores { STORED scores[]; };
layout(set = 0, binding = 1) readonly buffer Routing { STORED routing[]; };
layout(set = 0, binding = 2) buffer Experts { uint experts[]; };
layout(set = 0, binding = 3) writeonly buffer Weights { STORED weights[]; };
layout(push_constant) uniform Block {
  uvec2 scale_bits;  // those of an f32 or f64
  uint tokens, count, groups, group_size, top_groups, top_k;
  uint by_sum, normalized, index_words;
};

#ifdef VARIANT_f64
KEY key_of(COMPUTED x) { return key_of(unpackDouble2x32(x), FLOAT); }
COMPUTED factor() { return packDouble2x32(scale_bits); }
const COMPUTED least_sum = 1e-20lf;
#else
KEY key_of(COMPUTED x) { return key_of(floatBitsToUint(x), FLOAT); }
COMPUTED factor() { return uintBitsToFloat(scale_bits.x); }
const COMPUTED least_sum = 1e-20;
#endif

/// A group or an expert, by its key and its number from 1 on.
struct Pick {
  KEY key;
  uint number;
};

/// The greater one leads, of equals the one with the lower number.
bool leads(Pick a, Pick b) { return before(b.key, a.key) || (a.key == b.key && a.number < b.number); }
Pick before_all() { return Pick(last_key, 0u); }
Pick behind_all() { return Pick(first_key, 0xFFFFFFFFu); }

shared KEY group_keys[most_groups];
shared KEY picked_keys[gl_WorkGroupSize.x];
shared uint picked_numbers[gl_WorkGroupSize.x];

uint lane() { return gl_LocalInvocationID.x; }

/// The one of all invocations' picks that leads the others.
Pick leading(Pick mine) {
  picked_keys[lane()] = mine.key;
  picked_numbers[lane()] = mine.number;
  barrier();
  for (uint apart = gl_WorkGroupSize.x / 2u; apart > 0u; apart /= 2u) {
    if (lane() < apart) {
      const Pick own = Pick(picked_keys[lane()], picked_numbers[lane()]);
      const Pick other = Pick(picked_keys[lane() + apart], picked_numbers[lane() + apart]);
      if (leads(other, own)) {
        picked_keys[lane()] = other.key;
        picked_numbers[lane()] = other.number;
      }
    }
    barrier();
  }
  const Pick found = Pick(picked_keys[0], picked_numbers[0]);
  barrier();
  return found;
}

precise COMPUTED sum_of_two(COMPUTED a, COMPUTED b) { return a + b; }

/// The key of a group's score.
KEY score_key(uint first) {
  COMPUTED best = load(routing[first]), next = best;
  for (uint e = 1u; e < group_size; ++e) {
    const COMPUTED x = load(routing[first + e]);
    if (before(key_of(best), key_of(x))) {
      next = best;
      best = x;
    } else if (e == 1u || before(key_of(next), key_of(x))) {
      next = x;
    }
  }
  return key_of(by_sum != 0u ? sum_of_two(best, next) : best);
}

/// The last of the groups that are kept.
Pick last_group(uint first) {
  for (uint g = lane(); g < groups; g += gl_WorkGroupSize.x) group_keys[g] = score_key(first + g * group_size);
  barrier();
  Pick last = before_all();
  for (uint i = 0u; i < top_groups; ++i) {
    Pick mine = behind_all();
    for (uint g = lane(); g < groups; g += gl_WorkGroupSize.x) {
      const Pick one = Pick(group_keys[g], g + 1u);
      if (leads(last, one) && leads(one, mine)) mine = one;
    }
    last = leading(mine);
  }
  return last;
}

bool is_kept(uint expert, Pick last) {
  const uint g = expert / group_size;
  return top_groups == groups || !leads(last, Pick(group_keys[g], g + 1u));
}

precise COMPUTED weight_of(COMPUTED score, COMPUTED sum) {
  const COMPUTED share = normalized != 0u ? divide(score, sum + least_sum) : score;
  return share * factor();
}

void main() {
  const uint token = group_index(), first = token * count;
  if (token >= tokens) return;
  Pick group = before_all();
  if (top_groups < groups) group = last_group(first);
  precise COMPUTED sum = COMPUTED(0);
  Pick last = before_all();
  for (uint i = 0u; i < top_k; ++i) {
    Pick mine = behind_all();
    for (uint e = lane(); e < count; e += gl_WorkGroupSize.x) {
      const Pick one = Pick(key_of(load(routing[first + e])), e + 1u);
      if (leads(last, one) && leads(one, mine) && is_kept(e, group)) mine = one;
    }
    last = leading(mine);
    const uint expert = min(last.number, count) - 1u;
    sum += load(scores[first + expert]);
    if (i % gl_WorkGroupSize.x != lane()) continue;
    for (uint word = 0u; word < index_words; ++word)
      experts[(token * top_k + i) * index_words + word] = word == 0u ? expert : 0u;
  }
  // An invocation reads what it wrote itself.
  for (uint i = lane(); i < top_k; i += gl_WorkGroupSize.x) {
    const uint at = token * top_k + i;
    weights[at] = store(weight_of(load(scores[first + experts[at * index_words]]), sum));
  }
}
