// The push constants of convolution and of other windows: up to three spatial
// axes, the leading ones 1 where there are fewer, and how a kernel meets the image. An
// includer with other members before those of the axes defines PUSHED.
#ifndef PLUMB_CONVOLUTION_GLSL
#define PLUMB_CONVOLUTION_GLSL

#ifndef PUSHED
#define PUSHED uint batch, group, channels, filters;  // channels and filters of one group
#endif

layout(push_constant) uniform Block {
  PUSHED
  uint extent[3], positions[3], kernel[3], stride[3], dilation[3], pad[3];
};

uint taps() { return kernel[0] * kernel[1] * kernel[2]; }
uint positions_of_image() { return positions[0] * positions[1] * positions[2]; }

// Where the kernel begins in the image at position o of y; it may be outside.
ivec3 corner_of(uint o) {
  const uvec3 at = uvec3(o / (positions[1] * positions[2]), o / positions[2] % positions[1], o % positions[2]);
  return ivec3(at * uvec3(stride[0], stride[1], stride[2])) - ivec3(pad[0], pad[1], pad[2]);
}

// Element t of the kernel, from its corner.
ivec3 tap_of(uint t) {
  const uvec3 at = uvec3(t / (kernel[1] * kernel[2]) % kernel[0], t / kernel[2] % kernel[1], t % kernel[2]);
  return ivec3(at * uvec3(dilation[0], dilation[1], dilation[2]));
}

// Outside, a coordinate below 0 is a large unsigned one.
bool is_inside(ivec3 at) { return all(lessThan(uvec3(at), uvec3(extent[0], extent[1], extent[2]))); }

// A position of the image in plane `plane` of x.
uint position_in_x(uint plane, ivec3 at) {
  return ((plane * extent[0] + uint(at.x)) * extent[1] + uint(at.y)) * extent[2] + uint(at.z);
}

// The taps [x, y) of position o along an axis that lie in [-before, extent + behind) of the image.
uvec2 taps_within(uint axis, uint o, uint before, uint behind) {
  const int start = int(o * stride[axis]) - int(pad[axis]) + int(before);  // from the first element that counts
  const int end = int(extent[axis] + before + behind);
  if (start >= end) return uvec2(0u);
  const uint step = dilation[axis], low = start < 0 ? (uint(-start) + step - 1u) / step : 0u;
  const uint high = min(kernel[axis], (uint(end - start) + step - 1u) / step);
  return uvec2(min(low, high), high);
}

uvec2 taps_inside(uint axis, uint o) { return taps_within(axis, o, 0u, 0u); }

#endif
