// Error model of convolution of lines: sums of products where the kernel says how it adds; of any other algorithm
// besides what transforms may be off.
#include "ir/ops/convolve.hpp"

#include <cmath>

#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {
namespace {

/// 4u log₂(2(L + M))·‖x‖₂·‖h‖₂, which is that of every sample of a line: a transform spreads its error (verdict.md
/// V67).
Real of_transforms(const Node& node) {
  const Real x = node.in[0], h = node.in[1];
  const auto length = static_cast<double>(x.shape().back() + h.shape()[0]);
  const Real norms = sqrt(sum(square(x), {-1})) * sqrt(sum(square(h), {0}));
  return finite_or_zero(4 * node.unit() * std::log2(2 * length) * norms);
}

}  // namespace

Model error_model(const ir::ops::Convolve& op) {
  Model model{.rounding =
                  [op](const Node& node) {
                    const std::int64_t count = op.terms(node.in[0].shape(), node.in[1].shape());
                    const Bound direct = dot(node, product_terms(node, count));
                    return node.arithmetic.sums.empty() ? max(direct, both(of_transforms(node))) : direct;
                  },
              .carried = through_products};
  model.line = LineAxes{-1, -1};
  return model;
}

}  // namespace plumb::parity::bounds
