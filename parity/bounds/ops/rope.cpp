#include "ir/ops/rope.hpp"

#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {
Model error_model(const ir::ops::Rope&) {
  return {.rounding =
              [](const Node& node) {
                std::vector<Real> sizes = node.in;
                for (std::size_t i = 0; i < 3; ++i) sizes[i] = abs(node.in[i]);
                std::vector<Real> mirrored = sizes;
                mirrored[2] = -1.0 * sizes[2];
                // With |x| and sines of either sign, one of the sums has both terms positive.
                const Real magnitude = max(abs(node.apply(sizes)), abs(node.apply(mirrored)));
                return both(3 * node.unit() * magnitude + node.unit() * abs(node.y()));
              },
          .carried =
              [](const Node& node, const Errors& errors) {
                std::vector<Real> sizes = node.in;
                for (std::size_t i = 0; i < 3; ++i) sizes[i] = abs(node.in[i]);
                sizes[0] = errors[0] ? *errors[0] : filled(node.sketch.constant(0), node.in[0].shape());
                std::vector<Real> mirrored = sizes;
                mirrored[2] = -1.0 * sizes[2];
                return max(abs(node.apply(sizes)), abs(node.apply(mirrored)));
              }};
}

}  // namespace plumb::parity::bounds
