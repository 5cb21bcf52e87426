// Reports an index out of range once per run: the first to come claims word 0.
// The includer declares FAULTS_BINDING.
#ifndef PLUMB_FAULTS_GLSL
#define PLUMB_FAULTS_GLSL

layout(set = 0, binding = FAULTS_BINDING) buffer Faults { uint faults[]; };

// The value is 64 bits wide, the low word first.
void fault(uint node, uint position, uvec2 value) {
  if (atomicCompSwap(faults[0], 0u, 1u) != 0u) return;
  faults[1] = node;
  faults[2] = position;
  faults[3] = value.x;
  faults[4] = value.y;
}

#endif
