// Error model of rotary embeddings: three roundings of the larger of |x|cos + |x|sin and its mirror image.
#include "ir/ops/rope.hpp"

#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {
namespace {

/// The op on such numbers in place of x, cosines and sines, where every product has the sign that makes it larger.
Real largest(const Node& node, Real x, Real cosines, Real sines) {
  std::vector<Real> operands = node.in;
  operands[0] = x;
  operands[1] = cosines;
  operands[2] = sines;
  std::vector<Real> mirrored = operands;
  mirrored[2] = -1.0 * sines;
  // With sines of either sign, one of the sums has both terms positive.
  return max(abs(node.apply(operands)), abs(node.apply(mirrored)));
}

/// The error of an operand; 0 of one that is exact.
Real error_of(const Node& node, const Errors& errors, std::size_t i) {
  return errors[i] ? *errors[i] : filled(node.builder.constant(0), node.in[i].shape());
}

}  // namespace

Model error_model(const ir::ops::Rope&) {
  return {.rounding =
              [](const Node& node) {
                const Real magnitude = largest(node, abs(node.in[0]), abs(node.in[1]), abs(node.in[2]));
                return both(3 * node.unit() * magnitude + node.unit() * abs(node.y()));
              },
          .carried =
              [](const Node& node, const Errors& errors) {
                const Real of_x = largest(node, error_of(node, errors, 0), abs(node.in[1]), abs(node.in[2]));
                if (!errors[1] && !errors[2]) return of_x;
                // Coordinates that are not rotated pass through whatever the tables are.
                const Real zero = filled(node.builder.constant(0), node.in[1].shape());
                const Real passed = largest(node, abs(node.in[0]), zero, zero);
                const Real of_tables =
                    largest(node, abs(node.in[0]), error_of(node, errors, 1), error_of(node, errors, 2));
                return of_x + (of_tables - passed);
              }};
}

}  // namespace plumb::parity::bounds
