#pragma once

// Tables of rotary embeddings (ops.md J.4).

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace plumb::ir::formats::gguf::architectures {

enum class RopeScaling { none, linear, yarn, longrope };
constexpr auto enum_names(RopeScaling) { return std::array<std::string_view, 4>{"none", "linear", "yarn", "longrope"}; }

/// How angles depend on positions.
struct Rotary {
  std::int64_t columns = 0;  ///< n: rotated columns of a head
  double base = 10000;
  RopeScaling scaling = RopeScaling::linear;
  double factor = 1;
  double original_context = 1;  ///< yarn: positions that the model was trained on first
  double attention_factor = 1;
  double beta_fast = 32, beta_slow = 1, extrapolation = 0;
  bool has_yarn_magnitude = true;  ///< entries grow with yarn's factor
  bool blends_whole_pairs = true;  ///< yarn: the pairs between which it blends are rounded

  bool operator==(const Rotary&) const = default;
};

/// The angle of each pair of columns at position 1, [n/2]: those of others are multiples. `divisors` is empty or [n/2].
std::vector<double> rotary_angles(const Rotary& rotary, std::span<const double> divisors);

/// The factor of all entries of the tables.
double rotary_magnitude(const Rotary& rotary);

/// Cosines and sines, [rows, n/2] each, computed in f64 and rounded.
struct RotaryTables {
  std::vector<float> cosines, sines;
};

RotaryTables rotary_tables(const Rotary& rotary, std::span<const double> divisors, std::int64_t rows);

}  // namespace plumb::ir::formats::gguf::architectures
