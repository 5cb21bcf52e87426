#include "ir/ops/scatter_add.hpp"

#include "parity/error_terms.hpp"

namespace plumb::parity::bounds {
Model error_model(const ir::ops::ScatterAdd& op) {
  return {.rounding = [op](const Node& node) { return scattered_error(node, 0, op); }, .carried = moved};
}

}  // namespace plumb::parity::bounds
