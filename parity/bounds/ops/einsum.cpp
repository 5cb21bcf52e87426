// Error model of einsum: its longest sum, and a rounding for each step and operand.
#include "ir/ops/einsum.hpp"

#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {
Model error_model(const ir::ops::Einsum& op) {
  return {.rounding =
              [op](const Node& node) {
                ir::TensorTypes in;
                for (const Real x : node.in) in.push_back(node.builder.type(x));
                // Each operand after the first is one more sum and one more rounding of every product.
                const ir::kernels::EinsumPlan plan = op.plan(in);
                const auto steps = static_cast<std::int64_t>(plan.steps.size() + node.in.size());
                return dot(node, product_terms(node, plan.longest_sum + steps));
              },
          .carried = through_products};
}

}  // namespace plumb::parity::bounds
