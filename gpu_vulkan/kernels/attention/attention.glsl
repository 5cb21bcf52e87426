// What the shaders of attention are pushed and bound, and what they make of scores. Before it: element.glsl, math.glsl,
// and the constants has_mask, has_bias, capped and length_words, of each of kv_lengths; 0 when there are none.
#ifndef PLUMB_ATTENTION_GLSL
#define PLUMB_ATTENTION_GLSL

layout(push_constant) uniform Block {
  uint tasks, Hq, share, Sq, Sk;  // share: query heads of a kv head
  uint q_head, q_row, k_head, k_row, v_head, v_row, y_head, y_row;
  uint mask_strides[4], bias_strides[4];
  float scale, softcap;
  int lowest, highest;  // query i sees keys j with lowest <= j - p <= highest, p being i plus
  uint bottom_right;    // the length less Sq where this is 1
  uint slices;          // of the keys of a head, in attention_slices.comp
  uint q_at, k_at, v_at;
};

layout(set = 0, binding = 0) readonly buffer Queries { STORED q[]; };
layout(set = 0, binding = 1) readonly buffer Keys { STORED k[]; };
layout(set = 0, binding = 2) readonly buffer Values { STORED v[]; };
layout(set = 0, binding = 3) readonly buffer Mask { uint8_t mask[]; };
layout(set = 0, binding = 4) readonly buffer Bias { STORED bias[]; };
layout(set = 0, binding = 5) readonly buffer Lengths { int lengths[]; };
layout(set = 0, binding = 6) writeonly buffer Results { STORED y[]; };

const uint least_bits = 0xFF7FFFFFu, minus_infinity_bits = 0xFF800000u;

// What this workgroup works on.
uint batch, head, first;  // `first` query
int key_count, shift;     // keys in use; query i is at position i + shift
uint begin, end;          // the keys that some query of the block may see

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

// Where a head begins. A batch is as long as its heads or its rows, whichever take up more.
uint begin_of(uint at, uint heads, uint h, uint head_stride, uint rows, uint row_stride) {
  return at + batch * max(heads * head_stride, rows * row_stride) + h * head_stride;
}
uint q_begin() { return begin_of(q_at, Hq, head, q_head, Sq, q_row); }
uint k_begin() { return begin_of(k_at, Hq / share, head / share, k_head, Sk, k_row); }
uint v_begin() { return begin_of(v_at, Hq / share, head / share, v_head, Sk, v_row); }
uint y_begin() { return begin_of(0u, Hq, head, y_head, Sq, y_row); }

/// Of `blocks` of so many queries to a head.
void begin_task(uint task, uint blocks, uint rows) {
  batch = task / blocks / Hq;
  head = task / blocks % Hq;
  first = task % blocks * rows;
  key_count = length_of_batch();
  shift = bottom_right == 1u ? key_count - int(Sq) : 0;
  const int last = int(min(first + rows, Sq)) - 1;
  begin = uint(max(0, int(first) + shift + lowest));
  end = uint(max(0, min(key_count, last + shift + highest + 1)));
}

/// Whether query i may not see key j, whatever its score.
bool is_out_of_sight(uint i, uint j) {
  const int position = int(i) + shift;
  return i >= Sq || int(j) < position + lowest || int(j) > position + highest || int(j) >= key_count;
}

/// The score of a key that its position allows, from a product. One of -inf becomes the
/// least float: it weighs nothing beside others, and is told from a hidden key.
float score(float product, uint i, uint j, out bool hidden) {
  hidden = has_mask && uint(mask[index_of(mask_strides, i, j)]) == 0u;
  float value = scale * product;
  if (capped) value = softcap * tanhf(divide(value, softcap));
  if (has_bias) {
    const float added = load(bias[index_of(bias_strides, i, j)]);
    hidden = hidden || floatBitsToUint(added) == minus_infinity_bits;
    value += added;
  }
  return floatBitsToUint(value) == minus_infinity_bits ? uintBitsToFloat(least_bits) : value;
}

#endif
