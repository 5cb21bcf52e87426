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

double element(const Window& op, std::int64_t i) {
  const std::int64_t turn = std::max<std::int64_t>(op.periodic ? op.size : op.size - 1, 1);
  switch (op.function) {
    case WindowFunction::hann:
      return 0.5 - 0.5 * cosine(i, turn);
    case WindowFunction::hamming:
      return op.alpha - (1 - op.alpha) * cosine(i, turn);
    case WindowFunction::blackman:
      return 0.42 - 0.5 * cosine(i, turn) + 0.08 * cosine(2 * i, turn);
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
