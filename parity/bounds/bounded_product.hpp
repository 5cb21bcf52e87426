#pragma once

#include <map>

#include "parity/bounds/error_model.hpp"

namespace plumb::parity::bounds {

/// A widened graph in which products of matrices come with their limits (bounded_matmul.hpp), and what of the
/// original has another number in it.
struct BoundedProducts {
  ir::Graph graph;
  std::map<ir::Value, ir::Value> renumbered;

  ir::Value at(ir::Value original) const {
    const auto found = renumbered.find(original);
    return found == renumbered.end() ? original : found->second;
  }
};

/// `wide` is `native` widened; the products are those of `native` in this arithmetic.
BoundedProducts with_bounded_products(const ir::Graph& native, const ir::Graph& wide,
                                      const bounds::Arithmetic& arithmetic);

}  // namespace plumb::parity::bounds
