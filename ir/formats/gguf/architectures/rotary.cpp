// Angles without scaling, divided, and by YaRN between the two.
#include "ir/formats/gguf/architectures/rotary.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace plumb::ir::formats::gguf::architectures {
namespace {

/// The pair of columns that turns so many times over the context that the model was trained on first, as a real number.
double pair_of_turns(const Rotary& rotary, double turns) {
  const double n = static_cast<double>(rotary.columns);
  return n * std::log(rotary.original_context / (turns * 2 * std::numbers::pi)) / (2 * std::log(rotary.base));
}

/// The share of the unscaled angle of pair i.
double share_unscaled(const Rotary& rotary, double i) {
  const double last = static_cast<double>(rotary.columns - 1);
  double low = pair_of_turns(rotary, rotary.beta_fast), high = pair_of_turns(rotary, rotary.beta_slow);
  if (rotary.blends_whole_pairs) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  low = std::max(0.0, low);
  high = std::min(last, high);
  return rotary.extrapolation * (1 - std::clamp((i - low) / std::max(0.001, high - low), 0.0, 1.0));
}

}  // namespace

std::vector<double> rotary_angles(const Rotary& rotary, std::span<const double> divisors) {
  const double n = static_cast<double>(rotary.columns);
  std::vector<double> angles;
  for (std::int64_t pair = 0; pair < rotary.columns / 2; ++pair) {
    const double i = static_cast<double>(pair);
    double angle = std::pow(rotary.base, -2 * i / n);
    if (!divisors.empty()) angle /= divisors[static_cast<std::size_t>(pair)];
    if (rotary.scaling == RopeScaling::linear) angle /= rotary.factor;
    if (rotary.scaling == RopeScaling::yarn) {
      const double share = share_unscaled(rotary, i);
      angle = angle / rotary.factor * (1 - share) + angle * share;
    }
    angles.push_back(angle);
  }
  return angles;
}

double rotary_magnitude(const Rotary& rotary) {
  const bool is_grown = rotary.has_yarn_magnitude && rotary.scaling == RopeScaling::yarn && rotary.extrapolation != 0 &&
                        rotary.factor > 1;
  return rotary.attention_factor * (is_grown ? 1 + 0.1 * std::log(rotary.factor) : 1);
}

RotaryTables rotary_tables(const Rotary& rotary, std::span<const double> divisors, std::int64_t rows) {
  const auto angles = rotary_angles(rotary, divisors);
  const double magnitude = rotary_magnitude(rotary);
  RotaryTables tables;
  for (std::int64_t row = 0; row < rows; ++row)
    for (const double angle : angles) {
      const double turned = static_cast<double>(row) * angle;
      tables.cosines.push_back(static_cast<float>(magnitude * std::cos(turned)));
      tables.sines.push_back(static_cast<float>(magnitude * std::sin(turned)));
    }
  return tables;
}

}  // namespace plumb::ir::formats::gguf::architectures
