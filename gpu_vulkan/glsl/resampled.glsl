// The push constants of resize: up to eight dimensions, which follow each other in y as in
// x, the last `dimensions` of them in use, and where in the table the taps along each
// begin; `unchanged` where there are none. The includer declares table[], may define PUSHED.
#ifndef PLUMB_RESAMPLED_GLSL
#define PLUMB_RESAMPLED_GLSL

layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint dimensions = 1;  // up to 8

const uint unchanged = 0xFFFFFFFFu;

layout(push_constant) uniform Block {
  uint elements;  // elements of y
  PUSHED
  uint out_extent[8], in_extent[8], taps_at[8];
};

#endif
