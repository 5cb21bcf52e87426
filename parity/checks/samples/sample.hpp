#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "parity/compare/compare.hpp"

namespace plumb::parity::checks::samples {

/// Numbers drawn for one node of one run: the same on every machine (Philox).
class Draws {
 public:
  Draws(std::uint64_t seed, std::string_view node);
  /// One of 0, ..., count - 1.
  std::size_t below(std::size_t count);
  /// `count` different ones of 0, ..., all - 1, or all of them, in rising order.
  std::vector<std::size_t> some(std::size_t count, std::size_t all);

 private:
  std::uint64_t seed_, block_ = 0;
  std::uint32_t stream_;
};

/// Elements that are more than 100 times as large as their limit or, where results are exact, not 0: up to `count` of
/// them, drawn (the second half of the sample of verdict.md V40).
std::vector<std::size_t> telling_sample(std::span<const double> truth, const compare::Allowed& allowed, ir::DType dtype,
                                        std::size_t count, Draws& draws);

/// The elements of a real tensor at these places, in f64.
std::vector<double> numbers_at(const ir::TensorView& x, std::span<const std::size_t> places);

/// Rounds numbers to a dtype, and back.
std::vector<double> rounded_to(ir::DType dtype, std::span<const double> numbers);
double rounded_to(ir::DType dtype, double number);

}  // namespace plumb::parity::checks::samples
