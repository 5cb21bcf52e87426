#pragma once

#include <memory>
#include <vector>

#include "parity/profile/probe/inquiry.hpp"
#include "parity/profile/profile.hpp"

namespace plumb::parity::profile::probe {

/// A product whose order of summation is looked for.
struct ProductPlace {
  ir::Op op;  ///< matmul, or gemm with alpha = 1
  ir::TensorTypes operands;
  /// Which operands are params, that is, weights; empty: none. An engine that packs weights sums them by other kernels.
  std::vector<bool> are_params = {};
};

/// The products of f32 of a graph that can be looked at, each once.
std::vector<ProductPlace> products_of(const ir::Graph& graph);

/// Finds the tree along which a kernel adds up a product of these shapes, with masks of a large number, its negative
/// and ones: the ones that are seen are those outside the smallest subtree with both (FPRev, Xie et al., arXiv
/// 2411.00442). Nothing where ir::Sum has no such tree, or where not every bit of 64 sums of random terms is what it
/// gives; and of sums of fewer than 3 or more than 4096 terms.
std::unique_ptr<Finding<MeasuredSum>> inquire_tree(ProductPlace place);

}  // namespace plumb::parity::profile::probe
