#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "parity/compare/compare.hpp"
#include "parity/compare/elements/unit_sums.hpp"

/// What looks at every element of every output: the files of this folder are compiled once for each level of processors
/// (cmake/levels.cmake), with equal results on all. Others call compare(), measure(), largest_limit() and not_clear()
/// of the folder around this one, which take those of this processor; sums as matrix units make them are the
/// emulator's (parity/profile/emulator.hpp).
namespace plumb::parity::compare::elements {

Comparison compare(const ir::TensorView& expected, const ir::TensorView& got, const Allowed& allowed);
std::vector<Comparison> measure(const ir::TensorView& truth, std::span<const ir::TensorView> others, ir::DType dtype);
double largest_limit(std::span<const double> limits);
std::vector<std::size_t> not_clear(std::span<const double> limits, std::span<const double> off, double left);

struct Kernels {
  decltype(&elements::compare) compare;
  decltype(&elements::measure) measure;
  decltype(&elements::largest_limit) largest_limit;
  decltype(&elements::not_clear) not_clear;
  decltype(&elements::unit_sums) unit_sums;
};

/// Those above, as the compiler made them for the instructions that it was told to use.
const Kernels& compiled_kernels();

/// Those for this processor: compiled_kernels() of its level, where there are several.
const Kernels& chosen_kernels();

}  // namespace plumb::parity::compare::elements
