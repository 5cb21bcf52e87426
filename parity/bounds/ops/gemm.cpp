// Error model of ONNX's Gemm: the factors alpha and beta round as well, and c is one term more.
#include "ir/ops/gemm.hpp"

#include <cmath>

#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {
Model error_model(const ir::ops::Gemm& op) {
  ir::ops::Gemm with_magnitudes = op, squared = op;
  with_magnitudes.alpha = std::abs(op.alpha);
  with_magnitudes.beta = std::abs(op.beta);
  squared.alpha = op.alpha * op.alpha;
  squared.beta = op.beta * op.beta;
  return {.rounding =
              [=](const Node& node) {
                const ir::Shape& a = node.in[0].shape();
                const std::int64_t k = op.transpose_a ? a[0] : a[1];
                // The factors round each sum once, and c is one term more.
                Terms terms = product_terms(node, k + 2, with_magnitudes, squared);
                terms.exact = false;
                return dot(node, terms);
              },
          .carried = through_products};
}

}  // namespace plumb::parity::bounds
