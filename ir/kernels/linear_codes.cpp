// Float codes of 8 and 4 bits by arithmetic on doubles, which hold all that decides; the scales of axes and of blocks.
#include "ir/kernels/linear_codes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace plumb::ir::kernels {

double SmallFloat::number(int code) const {
  const int magnitude = code & (sign - 1), fraction = magnitude & ((1 << fraction_bits) - 1);
  const int exponent = magnitude >> fraction_bits;
  const double size = exponent == 0
                          ? std::ldexp(fraction, least_exponent - fraction_bits)
                          : std::ldexp(fraction + (1 << fraction_bits), least_exponent + exponent - 1 - fraction_bits);
  const bool is_infinite = magnitude == beyond && beyond != nan && beyond != largest;
  const double finite = is_infinite ? std::numeric_limits<double>::infinity() : size;
  const double value = magnitude > largest && !is_infinite ? std::numeric_limits<double>::quiet_NaN() : finite;
  return (code & sign) != 0 ? -value : value;
}

int SmallFloat::nearest(double x, bool saturates) const {
  if (std::isnan(x)) return nan;
  const int of_sign = std::signbit(x) ? sign : 0, past = saturates ? largest : beyond;
  if (std::isinf(x)) return of_sign | past;
  if (x == 0) return of_sign;
  int exponent = 0;
  std::frexp(x, &exponent);
  exponent = std::max(exponent - 1, least_exponent);
  const int steps = static_cast<int>(std::nearbyint(std::ldexp(std::abs(x), fraction_bits - exponent)));
  // Normal numbers have 2^fraction_bits steps or more, which is the exponent's own bit.
  const int code = ((exponent - least_exponent) << fraction_bits) + steps;
  return of_sign | (code > largest ? past : code);
}

SmallFloat small_float(CodeFormat format) {
  switch (format) {
    case CodeFormat::e4m3:
      return {.fraction_bits = 3, .least_exponent = -6, .largest = 0x7E, .beyond = 0x7F, .nan = 0x7F, .sign = 0x80};
    case CodeFormat::e5m2:
      return {.fraction_bits = 2, .least_exponent = -14, .largest = 0x7B, .beyond = 0x7C, .nan = 0x7F, .sign = 0x80};
    default:
      return {.fraction_bits = 1, .least_exponent = 0, .largest = 0x7, .beyond = 0x7, .nan = 0x7, .sign = 0x8};
  }
}

std::optional<ScaleMap> scale_map(const Shape& x, const Shape& scale, std::int64_t axis, std::int64_t block_size) {
  if (block_size < 0) return std::nullopt;
  if (scale.rank() == 0 || scale == Shape{1}) return ScaleMap{};
  const std::size_t at = x.axis(axis);
  std::int64_t inner = 1;
  for (std::size_t a = at + 1; a < x.size(); ++a) inner *= x[a];
  ScaleMap map{.inner = std::max<std::int64_t>(inner, 1), .extent = std::max<std::int64_t>(x[at], 1)};
  if (block_size == 0) {
    if (scale != Shape{x[at]}) return std::nullopt;
    map.block_step = 1;
    return map;
  }
  Shape blocks = x;
  blocks[at] = x[at] / block_size + (x[at] % block_size != 0 ? 1 : 0);
  if (scale != blocks) return std::nullopt;
  map.block = std::min(block_size, map.extent);
  map.outer_step = blocks[at] * inner;
  map.block_step = inner;
  map.inner_step = 1;
  return map;
}

std::vector<Loop> scaled_elements(Types in, std::int64_t axis, std::int64_t block_size) {
  const Shape &x = in[0].shape, &scale = in[1].shape;
  const auto map = scale_map(x, scale, axis, block_size);
  const bool is_one = !map || map->is_one(), is_blocked = !is_one && block_size > 0;
  std::vector<Loop> loops;
  for (std::size_t a = 0; a < x.size(); ++a) {
    const bool is_axis = !is_one && a == x.axis(axis);
    Axis of_scale = {};
    if (is_blocked && !is_axis) of_scale = a;
    if (!is_blocked && is_axis) of_scale = 0;
    Loop loop{.out = a, .in = {a}};
    loop.in.resize(in.size(), of_scale);
    if (is_blocked && is_axis) loop.steps = StepOrder::ordered;
    loops.push_back(std::move(loop));
  }
  return loops;
}

}  // namespace plumb::ir::kernels
