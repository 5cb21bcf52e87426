// Rotary position embedding: each invocation rotates one pair of coordinates of one
// head, or copies one that is not rotated. With POSITIONS, rows of the tables are read
// from a buffer, and one out of range is a fault; without, none is bound, so that
// dispatches do not wait for each other's faults.
#ifndef PLUMB_ROPE_GLSL
#define PLUMB_ROPE_GLSL

#include "gpu_vulkan/glsl/divide.glsl"
#include "gpu_vulkan/glsl/element.glsl"
#include "gpu_vulkan/glsl/index.glsl"

layout(constant_id = 1) const bool sequence_first = false;  // heads within a token: layout bshd
layout(constant_id = 2) const bool interleaved = false;
layout(constant_id = 3) const bool inverse = false;

layout(set = 0, binding = 0) readonly buffer X { STORED x[]; };
layout(set = 0, binding = 1) readonly buffer Cos { STORED cosines[]; };
layout(set = 0, binding = 2) readonly buffer Sin { STORED sines[]; };
#ifdef POSITIONS
layout(constant_id = 4) const uint position_words = 1;  // 32-bit words per position
layout(set = 0, binding = 3) readonly buffer Positions { uint indices[]; };
layout(set = 0, binding = 4) writeonly buffer Y { STORED y[]; };
#define FAULTS_BINDING 5
#include "gpu_vulkan/glsl/faults.glsl"
#include "gpu_vulkan/glsl/wide_index.glsl"
#else
layout(set = 0, binding = 3) writeonly buffer Y { STORED y[]; };
#endif
layout(push_constant) uniform Block {
  uint count;            // pairs and single coordinates, of all heads
  uint units;            // pairs, then single coordinates, of one head
  uint pairs;
  uint depth, heads, sequence;
  uint offset;           // the first token's row of the tables
  uint batch_rows;       // from the row of a batch to that of the next
  uint batch_positions;  // from the positions of a batch to those of the next
  uint rows;             // rows of the tables
  uvec2 by_units, by_heads, by_sequence;
  uint node;
};

void main() {
  const uint at = invocation_index();
  if (at >= count) return;
  const uint line = divide(at, by_units), unit = at - line * units;
  if (unit >= pairs) {
    const uint single = line * depth + pairs + unit;
    y[single] = x[single];
    return;
  }

  // line counts [batch, token, head] or [batch, head, token].
  const uint outer = divide(line, sequence_first ? by_heads : by_sequence);
  const uint batch = divide(outer, sequence_first ? by_sequence : by_heads);
  const uint token = sequence_first ? outer - batch * sequence : line - outer * sequence;
#ifdef POSITIONS
  const uint i = batch * batch_positions + token;
  const uvec2 position = wide_index(i, position_words);
  if (position.y != 0u || position.x >= rows) {
    fault(node, i, position);
    return;
  }
  const uint row = position.x;
#else
  const uint row = offset + batch * batch_rows + token;
#endif

  const uint first = line * depth + (interleaved ? 2u * unit : unit), second = first + (interleaved ? 1u : pairs);
  const COMPUTED a = load(x[first]), b = load(x[second]);
  const COMPUTED c = load(cosines[row * pairs + unit]), sine = load(sines[row * pairs + unit]);
  const COMPUTED s = inverse ? -sine : sine;
  y[first] = store(a * c - b * s);
  y[second] = store(a * s + b * c);
}

#endif
