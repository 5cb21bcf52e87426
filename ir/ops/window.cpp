// Elements of window functions, made once for both executors.
#include "ir/ops/window.hpp"

#include <cmath>
#include <cstring>
#include <numbers>

#include "ir/convert.hpp"

namespace plumb::ir::ops {
namespace {

/// cos(2πi/turn) for 0 <= i. The angle is brought into the first octant in integers, so that elements that are equal by
/// symmetry are equal in every bit, and quarter turns are exact.
double cosine(std::int64_t i, std::int64_t turn) {
  std::int64_t eighths = i % turn;
  eighths = 8 * std::min(eighths, turn - eighths);  // a turn has 8·turn
  const double sign = eighths > 2 * turn ? -1 : 1;
  if (eighths > 2 * turn) eighths = 4 * turn - eighths;
  const auto angle = [&](std::int64_t part) {
    return std::numbers::pi * static_cast<double>(part) / (4 * static_cast<double>(turn));
  };
  return sign * (eighths > turn ? std::sin(angle(2 * turn - eighths)) : std::cos(angle(eighths)));
}

/// sin²(πi/turn), half of 1 − cos(2πi/turn), which would cancel near 0.
double sine_squared(std::int64_t i, std::int64_t turn) {
  const std::int64_t part = std::min(i % turn, turn - i % turn);
  if (12 * part > turn) return 0.5 - 0.5 * cosine(i, turn);
  const double sine = std::sin(std::numbers::pi * static_cast<double>(part) / static_cast<double>(turn));
  return sine * sine;
}

double element(const Window& op, std::int64_t i) {
  const std::int64_t turn = std::max<std::int64_t>(op.periodic ? op.size : op.size - 1, 1);
  switch (op.function) {
    case WindowFunction::hann:
      return sine_squared(i, turn);
    case WindowFunction::hamming:
      return op.alpha - (1 - op.alpha) * cosine(i, turn);
    case WindowFunction::blackman: {
      const double s = sine_squared(i, turn);  // 0.42 − 0.5(1 − 2s) + 0.08(1 − 8s + 8s²)
      return s * (9 + 16 * s) / 25;
    }
    case WindowFunction::rectangular:
      break;
  }
  return 1;
}

}  // namespace

Bytes Window::values() const {
  Bytes bytes(info(dtype).bytes * static_cast<std::size_t>(size));
  visit_float(dtype, [&]<class T>(T) {
    for (std::int64_t i = 0; i < size; ++i) {
      const T value = convert_value<T>(element(*this, i));
      std::memcpy(bytes.data() + static_cast<std::size_t>(i) * sizeof(T), &value, sizeof(T));
    }
  });
  return bytes;
}

}  // namespace plumb::ir::ops
