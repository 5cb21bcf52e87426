// Sends comparisons to the code that was compiled for this processor's vector instructions.
#include "parity/compare/chains.hpp"
#include "parity/compare/elements/kernels.hpp"
#include "parity/compare/limit_scan.hpp"
#include "parity/compare/measure.hpp"

namespace plumb::parity::compare {

Comparison compare(const ir::TensorView& expected, const ir::TensorView& got, const Allowed& allowed,
                   const std::optional<MapExtents>& map) {
  return elements::chosen_kernels().compare(expected, got, allowed, map);
}

std::vector<Comparison> measure(const ir::TensorView& truth, std::span<const ir::TensorView> others, ir::DType dtype) {
  return elements::chosen_kernels().measure(truth, others, dtype);
}

Comparison measure(const ir::TensorView& truth, const ir::TensorView& other) {
  return measure(truth, {&other, 1}, other.dtype()).front();
}

double largest_limit(std::span<const double> limits) { return elements::chosen_kernels().largest_limit(limits); }

std::vector<std::size_t> not_clear(std::span<const double> limits, std::span<const double> off, double left) {
  return elements::chosen_kernels().not_clear(limits, off, left);
}

void multiply_chains(const elements::ProductsSideBySide& of, double* products, elements::SideBySide& squares,
                     elements::SideBySide& smallest) {
  elements::chosen_kernels().multiply_chains(of, products, squares, smallest);
}

void add_chains(const elements::ChainRules& rules, const double* terms, std::size_t step, std::size_t count,
                elements::Chains& chains) {
  elements::chosen_kernels().add_chains(rules, terms, step, count, chains);
}

void add_roundings_of_products(const elements::ChainRules& rules, const double* terms, std::size_t count,
                               elements::Chains& chains) {
  elements::chosen_kernels().add_roundings_of_products(rules, terms, count, chains);
}

}  // namespace plumb::parity::compare
