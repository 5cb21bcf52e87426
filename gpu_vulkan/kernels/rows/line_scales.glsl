// Where scale and bias of normalised lines lie. The includer declares extents, scale_strides and
// bias_strides, innermost axes first.
#ifndef PLUMB_LINE_SCALES_GLSL
#define PLUMB_LINE_SCALES_GLSL

/// Where scale and bias of position i of some of the axes lie.
uvec2 offsets(uint i, uint axis, uint axes) {
  uvec2 at = uvec2(0u);
  for (uint a = axis; a < axis + axes; ++a) {
    const bool last = a + 1u == axis + axes;
    const uint index = last ? i : i % extents[a];
    at += index * uvec2(scale_strides[a], bias_strides[a]);
    if (!last) i /= extents[a];
  }
  return at;
}

#endif
