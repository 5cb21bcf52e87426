// The positions from which a kernel meets one element of an image: what the adjoints of
// windows sum over. Axes are those of convolution.glsl, which the includer includes
// with PUSHED naming, too, uint tap_step[3], index_step[3]: taps that meet the same element are
// tap_step = stride / gcd(stride, dilation) apart, their positions index_step = dilation / gcd.
#ifndef PLUMB_ADJOINT_GLSL
#define PLUMB_ADJOINT_GLSL

// Taps tap + i tap_step from positions index - i index_step, for i < count.
struct Meeting {
  uint tap, index, count;
};

Meeting meetings(uint axis, uint at) {
  const uint apart = tap_step[axis], down = index_step[axis];
  const uint reach = at + pad[axis];
  uint tap = 0u;
  while (tap < min(apart, kernel[axis]) && tap * dilation[axis] <= reach &&
         (reach - tap * dilation[axis]) % stride[axis] != 0u)
    ++tap;
  if (tap >= min(apart, kernel[axis]) || tap * dilation[axis] > reach) return Meeting(0u, 0u, 0u);
  const uint index = (reach - tap * dilation[axis]) / stride[axis];
  const uint low = index < positions[axis] ? 0u : (index - positions[axis]) / down + 1u;
  const uint high = min((kernel[axis] - tap + apart - 1u) / apart, index / down + 1u);
  if (low >= high) return Meeting(0u, 0u, 0u);
  return Meeting(tap + low * apart, index - low * down, high - low);
}

#endif
