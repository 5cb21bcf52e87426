#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "parity/compare/compare.hpp"
#include "parity/compare/elements/chains.hpp"
#include "parity/compare/elements/unit_sums.hpp"
#include "parity/compare/telling.hpp"

/// Loops over every element of every output: the files of this folder are compiled once for each level of processors
/// (cmake/levels.cmake), with equal results on all. Others call compare(), measure(), largest_limit() and not_clear()
/// of the folder around this one, which take those of this processor; sums as matrix units make them are the
/// emulator's (parity/profile/emulator.hpp), sums side by side those of trees (parity/sums/tree.hpp).
namespace plumb::parity::compare::elements {

Comparison compare(const ir::TensorView& expected, const ir::TensorView& got, const Allowed& allowed,
                   const std::optional<MapExtents>& map);
std::vector<Comparison> measure(const ir::TensorView& truth, std::span<const ir::TensorView> others, ir::DType dtype);
double largest_limit(std::span<const double> limits);
std::vector<std::size_t> not_clear(std::span<const double> limits, std::span<const double> off, double left);

inline constexpr double precise_times = 100;  ///< how many times its limit a precise element is (verdict.md V39, V42)

/// Adds what lines of a truth say to what is known of the output (compare::telling_of()).
void tell(std::span<const double> truth, ir::DType dtype, const Allowed& allowed, const Line& line, Telling& telling);

struct Kernels {
  decltype(&elements::compare) compare;
  decltype(&elements::measure) measure;
  decltype(&elements::largest_limit) largest_limit;
  decltype(&elements::not_clear) not_clear;
  decltype(&elements::tell) tell;
  decltype(&elements::unit_sums) unit_sums;
  decltype(&elements::multiply_chains) multiply_chains;
  decltype(&elements::add_chains) add_chains;
  decltype(&elements::add_roundings_of_products) add_roundings_of_products;
};

/// Those above, as the compiler made them for the instructions that it was told to use.
const Kernels& compiled_kernels();

/// Those for this processor: compiled_kernels() of its level, where there are several.
const Kernels& chosen_kernels();

}  // namespace plumb::parity::compare::elements
