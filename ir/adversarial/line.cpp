// Draws of lines, and numbers that are the same in several kinds.
#include "ir/adversarial/line.hpp"

#include <cmath>
#include <numbers>

#include "ir/raw/philox.hpp"

namespace plumb::ir::adversarial {

/// Box and Muller's first number, rounded to float, which hides how libraries differ in the last bits.
double Draw::normal() const {
  const double radius = std::sqrt(-2 * std::log(((words_[0] >> 8) + 1) * 0x1p-24));
  return static_cast<double>(
      static_cast<float>(radius * std::cos(2 * std::numbers::pi * ((words_[1] >> 8) * 0x1p-24))));
}

std::int64_t Draw::below(std::int64_t count) const {
  return static_cast<std::int64_t>(std::uint64_t{words_[3]} * static_cast<std::uint64_t>(count) >> 32);
}

Range range_of(DType dtype) {
  switch (dtype) {
    case DType::f16:
      return {65504, 0x1p-11, 11, -24, -10, 12, 15, 1e4, 5};
    case DType::bf16:
      return {0x1.FEp127, 0x1p-24, 8, -133, -120, 100, 127, 1e5, 20};
    case DType::f64:
    case DType::c128:
      return {std::numeric_limits<double>::max(), 0x1p-53, 53, -1074, -1016, 990, 1023, 1e5, 20};
    default:
      return {std::numeric_limits<float>::max(), 0x1p-24, 24, -149, -120, 100, 127, 1e5, 20};
  }
}

Draw Line::element(std::size_t k) const {
  return Draw(raw::philox_block(seed, stream, offset, static_cast<std::uint64_t>(number) * x.size() + k));
}

Draw Line::of_first_line(std::size_t k) const { return Draw(raw::philox_block(seed, stream, offset, k)); }

Draw Line::own() const {
  constexpr std::uint32_t of_lines = 0x10000;
  return Draw(raw::philox_block(seed, stream, offset + of_lines, static_cast<std::uint64_t>(number)));
}

void be_normal(Line& line) {
  for (std::size_t k = 0; k < line.x.size(); ++k) line.x[k] = line.element(k).normal();
}

void be_near_one(Line& line) {
  for (std::size_t k = 0; k < line.x.size(); ++k) line.x[k] = line.element(k).uniform(0.9, 1.1);
}

bool is_of_scores(AdversarialKind kind) {
  return kind == AdversarialKind::tiny_sink || kind == AdversarialKind::saturated || kind == AdversarialKind::masked;
}

}  // namespace plumb::ir::adversarial
