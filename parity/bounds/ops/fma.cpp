// Error model of fused multiply-add, which rounds once by its class: only operands' errors are carried on.
#include "ir/ops/fma.hpp"

#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {
namespace {

/// a·b + c minus the f64 nearest to it: the error of a sum of two (Knuth), since products of numbers of f32 or
/// narrower dtypes are numbers of f64.
Real lost(const Node& node) {
  const Real product = node.in[0] * node.in[1], c = node.in[2], y = node.y(), of_c = y - product;
  return (product - (y - of_c)) + (c - of_c);
}

}  // namespace

Model error_model(const ir::ops::Fma&) { return {.carried = by_difference, .decides_ties = true, .lost = lost}; }

}  // namespace plumb::parity::bounds
