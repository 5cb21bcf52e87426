// Errors of runs with random signs, carried along the steps of a linear recurrence.
// Optimised: it loops over elements or terms.
#include "parity/judges/scans/error_runs.hpp"

#include <bit>

namespace plumb::parity::judges {
namespace {

/// The finalizer of SplitMix64 (Steele, Lea and Flood 2014).
std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

/// x or −x by the sign of a run.
double with_sign(double x, std::uint64_t signs, std::size_t run) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) ^ (signs >> run & 1) << 63);
}

// Which rounding of a step it is; rows count from the first of them on.
constexpr std::uint64_t of_a_factor = 1, of_what_is_known = 2, of_a_row = 16;

}  // namespace

ErrorRuns::ErrorRuns(std::size_t rows, std::size_t runs, std::uint64_t seed)
    : rows_(rows), runs_(runs), seed_(mixed(seed)), errors_(rows * runs), known_(runs) {}

std::uint64_t ErrorRuns::signs(double x, std::uint64_t place) const {
  // A kernel holds x in f32: numbers that differ only behind its digits have the same rounding.
  const std::uint64_t number = std::bit_cast<std::uint32_t>(static_cast<float>(x));
  return mixed(seed_ + mixed(number << 32 ^ place * 0x9E3779B97F4A7C15u));
}

void ErrorRuns::decay(std::span<const double> factors, std::span<const double> logarithms,
                      std::span<const double> of_factors, std::span<const double> value, double unit) {
  for (std::size_t i = 0; i < rows_; ++i) {
    double* const error = errors_.data() + i * runs_;
    const std::uint64_t factor = signs(logarithms[i], of_a_factor), row = signs(value[i], 2 * i + of_a_row);
    const double of_factor = of_factors[i] * value[i], own = unit * value[i];
    for (std::size_t run = 0; run < runs_; ++run)
      error[run] = factors[i] * error[run] + with_sign(of_factor, factor, run) + with_sign(own, row, run);
  }
}

void ErrorRuns::update(std::span<const double> key, double beta, double known, double of_known,
                       std::span<const double> of_changes, std::span<const double> value, double unit) {
  const std::uint64_t what_is_known = signs(known, of_what_is_known);
  for (std::size_t run = 0; run < runs_; ++run) known_[run] = with_sign(of_known, what_is_known, run);
  for (std::size_t i = 0; i < rows_; ++i)
    for (std::size_t run = 0; run < runs_; ++run) known_[run] += key[i] * errors_[i * runs_ + run];
  for (std::size_t i = 0; i < rows_; ++i) {
    double* const error = errors_.data() + i * runs_;
    const std::uint64_t change = signs(of_changes[i], 2 * i + of_a_row), row = signs(value[i], 2 * i + 1 + of_a_row);
    const double share = beta * key[i], own = unit * value[i];
    for (std::size_t run = 0; run < runs_; ++run)
      error[run] += with_sign(of_changes[i], change, run) + with_sign(own, row, run) - share * known_[run];
  }
}

double ErrorRuns::variance(std::size_t row) const {
  double squares = 0;
  for (std::size_t run = 0; run < runs_; ++run) {
    const double error = errors_[row * runs_ + run];
    squares += error * error;
  }
  return squares / static_cast<double>(runs_);
}

double ErrorRuns::variance(std::span<const double> x) const {
  double sums[most_runs] = {}, squares = 0;
  for (std::size_t i = 0; i < rows_; ++i)
    for (std::size_t run = 0; run < runs_; ++run) sums[run] += errors_[i * runs_ + run] * x[i];
  for (std::size_t run = 0; run < runs_; ++run) squares += sums[run] * sums[run];
  return squares / static_cast<double>(runs_);
}

}  // namespace plumb::parity::judges
