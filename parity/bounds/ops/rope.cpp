// Error model of rotary embeddings: three roundings of the larger of |x|cos + |x|sin and its mirror image.
#include "ir/ops/rope.hpp"

#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {
Model error_model(const ir::ops::Rope&) {
  return {.rounding =
              [](const Node& node) {
                std::vector<Real> magnitudes = node.in;
                for (std::size_t i = 0; i < 3; ++i) magnitudes[i] = abs(node.in[i]);
                std::vector<Real> mirrored = magnitudes;
                mirrored[2] = -1.0 * magnitudes[2];
                // With |x| and sines of either sign, one of the sums has both terms positive.
                const Real magnitude = max(abs(node.apply(magnitudes)), abs(node.apply(mirrored)));
                return both(3 * node.unit() * magnitude + node.unit() * abs(node.y()));
              },
          .carried =
              [](const Node& node, const Errors& errors) {
                std::vector<Real> magnitudes = node.in;
                for (std::size_t i = 0; i < 3; ++i) magnitudes[i] = abs(node.in[i]);
                magnitudes[0] = errors[0] ? *errors[0] : filled(node.builder.constant(0), node.in[0].shape());
                std::vector<Real> mirrored = magnitudes;
                mirrored[2] = -1.0 * magnitudes[2];
                return max(abs(node.apply(magnitudes)), abs(node.apply(mirrored)));
              }};
}

}  // namespace plumb::parity::bounds
