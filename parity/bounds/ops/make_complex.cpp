// Error model of complex numbers by modulus and angle: ulps of each part, since cos and sin keep theirs near their
// zeros.
#include "ir/ops/make_complex.hpp"

#include "parity/bounds/error_terms.hpp"

namespace plumb::parity::bounds {
Model error_model(const ir::ops::MakeComplex& op) {
  if (op.form == ir::ops::ComplexForm::cartesian) return {};
  return {.ulps = 5};
}

}  // namespace plumb::parity::bounds
