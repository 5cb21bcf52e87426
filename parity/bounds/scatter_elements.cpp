#include "ir/ops/scatter_elements.hpp"

#include "parity/error_terms.hpp"

namespace plumb::parity::bounds {
Model error_model(const ir::ops::ScatterElements& op) {
  Model model{.carried = moved};
  if (op.error_class() == ir::ErrorClass::dot || op.error_class() == ir::ErrorClass::comp)
    model.rounding = [op](const Node& node) {
      ir::ops::ScatterElements adding = op;
      adding.reduction = ir::ScatterReduction::add;
      return scattered_error(node, 2, adding);
    };
  return model;
}

}  // namespace plumb::parity::bounds
