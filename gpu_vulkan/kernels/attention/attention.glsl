// The operands of attention, and how a product of a query and a key becomes a score. A shader includes element.glsl and
// math.glsl before it, and declares the constants has_mask, has_bias, capped, length_words (words of each of
// kv_lengths; 0 when there are none) and bias_masks (a bias of -inf masks its key; else it is a score like others).
// One that defines TAKES_SINKS declares has_sinks; one that defines NARROW_KEYS has k and v of 16 bits beside q of f32,
// and declares keys_are_bf16.
#ifndef PLUMB_ATTENTION_GLSL
#define PLUMB_ATTENTION_GLSL

layout(push_constant) uniform Block {
  uint tasks, Hq, gqa_group, Sq, Sk;  // gqa_group: query heads that share a kv head
  uint q_head, q_row, k_head, k_row, v_head, v_row, y_head, y_row;
  uint mask_strides[4], bias_strides[4];
#ifdef VARIANT_f64
  uint scale_high, softcap_high;
#else
  float scale, softcap;
#endif
  int window_lowest, window_highest;  // query i attends to keys j with lowest <= j - (i + shift) <= highest
  uint bottom_right;                  // 1: shift is the number of keys less Sq; 0: shift is 0
  uint splits;                        // parts of a head's keys, in attention_split_kv.comp
  uint q_offset, k_offset, v_offset;
  uint scale_low, softcap_low;  // the low words of doubles
};

#ifdef NARROW_KEYS
#define STORED_KEY uint16_t
#define load_key(x) float_of_key(uint(x))
float float_of_key(uint bits) { return keys_are_bf16 ? float_from_bf16(bits) : float_from_f16(bits); }
#else
#define STORED_KEY STORED
#define load_key(x) load(x)
#endif

layout(set = 0, binding = 0) readonly buffer Queries { STORED q[]; };
layout(set = 0, binding = 1) readonly buffer Keys { STORED_KEY k[]; };
layout(set = 0, binding = 2) readonly buffer Values { STORED_KEY v[]; };
layout(set = 0, binding = 3) readonly buffer Mask { uint8_t mask[]; };
layout(set = 0, binding = 4) readonly buffer Bias { STORED bias[]; };
layout(set = 0, binding = 5) readonly buffer Lengths { int lengths[]; };
#ifdef TAKES_SINKS
layout(set = 0, binding = 6) readonly buffer Sinks { STORED sinks[]; };
layout(set = 0, binding = 7) writeonly buffer Results { STORED y[]; };
#else
layout(set = 0, binding = 6) writeonly buffer Results { STORED y[]; };
#endif

const uint least_bits = 0xFF7FFFFFu, minus_infinity_bits = 0xFF800000u;

#ifdef VARIANT_f64
double factor_of_scores() { return packDouble2x32(uvec2(scale_low, scale_high)); }
double cap_of_scores() { return packDouble2x32(uvec2(softcap_low, softcap_high)); }
double minus_infinity() { return packDouble2x32(uvec2(0u, 0xFFF00000u)); }
double least_number() { return packDouble2x32(uvec2(0xFFFFFFFFu, 0xFFEFFFFFu)); }
double not_a_number() { return double_nan(); }
double next_to_least() { return packDouble2x32(uvec2(0xFFFFFFFEu, 0xFFEFFFFFu)); }
bool is_minus_infinity(double x) { return unpackDouble2x32(x) == uvec2(0u, 0xFFF00000u); }
bool is_least_number(double x) { return unpackDouble2x32(x) == uvec2(0xFFFFFFFFu, 0xFFEFFFFFu); }
#else
float factor_of_scores() { return scale; }
float cap_of_scores() { return softcap; }
float minus_infinity() { return uintBitsToFloat(minus_infinity_bits); }
float least_number() { return uintBitsToFloat(least_bits); }
float not_a_number() { return quiet_nan(); }
float next_to_least() { return uintBitsToFloat(least_bits - 1u); }
bool is_minus_infinity(float x) { return floatBitsToUint(x) == minus_infinity_bits; }
bool is_least_number(float x) { return floatBitsToUint(x) == least_bits; }
#endif

// The task of this workgroup, which begin_task sets.
uint batch, head, first;  // first: the number of its first query
int key_count, shift;     // key_count: keys in use; query i is at position i + shift
uint begin, end;          // the keys that the window leaves to some query of the block

int length_of_batch() {
  if (length_words == 0u) return int(Sk);
  const int low = lengths[batch * length_words];
  const int high = length_words == 2u ? lengths[batch * length_words + 1u] : (low < 0 ? -1 : 0);
  if (high < 0) return 0;
  return high > 0 || uint(low) > Sk ? int(Sk) : low;
}

uint index_of(uint strides[4], uint i, uint j) {
  return batch * strides[0] + head * strides[1] + i * strides[2] + j * strides[3];
}

// The first element of a head. Batches are max(heads * head_stride, rows * row_stride) apart.
uint begin_of(uint at, uint heads, uint h, uint head_stride, uint rows, uint row_stride) {
  return at + batch * max(heads * head_stride, rows * row_stride) + h * head_stride;
}
uint q_begin() { return begin_of(q_offset, Hq, head, q_head, Sq, q_row); }
uint k_begin() { return begin_of(k_offset, Hq / gqa_group, head / gqa_group, k_head, Sk, k_row); }
uint v_begin() { return begin_of(v_offset, Hq / gqa_group, head / gqa_group, v_head, Sk, v_row); }
uint y_begin() { return begin_of(0u, Hq, head, y_head, Sq, y_row); }

/// Finds the head and the queries of a task, where a head has `blocks` of `rows` queries each.
void begin_task(uint task, uint blocks, uint rows) {
  batch = task / blocks / Hq;
  head = task / blocks % Hq;
  first = task % blocks * rows;
  key_count = length_of_batch();
  shift = bottom_right == 1u ? key_count - int(Sq) : 0;
  const int last = int(min(first + rows, Sq)) - 1;
  begin = uint(max(0, int(first) + shift + window_lowest));
  end = uint(max(0, min(key_count, last + shift + window_highest + 1)));
}

/// Whether key j is masked for query i by the window or by the number of keys in use.
bool is_masked_by_position(uint i, uint j) {
  const int position = int(i) + shift;
  return i >= Sq || int(j) < position + window_lowest || int(j) > position + window_highest || int(j) >= key_count;
}

/// The origin that is subtracted from the scores of a row before their exponentials: the row max, or 0 where no score
/// has weight yet, since keys are masked or scores are -inf.
COMPUTED origin_of(COMPUTED largest) {
  return is_minus_infinity(largest) || is_least_number(largest) ? COMPUTED(0) : largest;
}

/// The score of a key that its position does not mask, from the product of query and key. A score of -inf becomes the
/// least number: it has no weight beside others, and differs from a masked key. The least number, which programs add to
/// mask keys, becomes its neighbour: a row that has it throughout still has weights.
COMPUTED score(COMPUTED product, uint i, uint j, out bool masked) {
  masked = has_mask && uint(mask[index_of(mask_strides, i, j)]) == 0u;
  COMPUTED value = factor_of_scores() * product;
  if (capped) value = cap_of_scores() * tanhf(divide(value, cap_of_scores()));
  if (has_bias) {
    const COMPUTED added = load(bias[index_of(bias_strides, i, j)]);
    masked = masked || (bias_masks && is_minus_infinity(added));
    value += added;
  }
  if (is_least_number(value)) return next_to_least();
  return is_minus_infinity(value) ? least_number() : value;
}

#ifdef TAKES_SINKS
#ifdef VARIANT_f64
#define LEAST_NORMAL_EXPONENT (-708.0lf)
#define LIFT packDouble2x32(uvec2(0u, 0x7E700000u))  // 2^1000
#else
#define LEAST_NORMAL_EXPONENT (-87.0)
#define LIFT uintBitsToFloat(0x7B800000u)  // 2^120
#endif
/// Joins the sink of the head, a score whose value is 0, to a row with an allowed key, of which `largest` is the row
/// max and `sum` the row sum. Returns the factor of what the keys have found. A row in which it has weight is none any
/// more whose scores are all -inf.
COMPUTED joined_sink(inout COMPUTED largest, inout COMPUTED sum) {
  COMPUTED sink = load(sinks[head]);
  if (is_minus_infinity(sink)) return COMPUTED(1);
  if (is_least_number(sink)) sink = next_to_least();  // as scores are
  const COMPUTED top = maximum(largest, sink);
  precise const COMPUTED of_keys = largest - top, of_sink = sink - top;
  largest = COMPUTED(0);
  if (of_keys < LEAST_NORMAL_EXPONENT) {
    // Large values may still matter. The factor would be subnormal, and both sums are LIFT times as large instead.
    precise const COMPUTED root = expf(COMPUTED(0.5) * of_keys), lifted = root * LIFT, factor = lifted * root;
    sum = sum * factor + LIFT * expf(of_sink);  // NaN by an infinite sink
    return factor;
  }
  const COMPUTED factor = expf(of_keys);
  sum = sum * factor + expf(of_sink);
  return factor;
}
#endif

#endif
