// Exactness of activations: leaky ReLU and shrink are sums of terms, all others round.
#include "ir/ops/activation.hpp"

#include "parity/checks/exact/make_rule.hpp"
#include "parity/core/float_format.hpp"

namespace plumb::parity::checks::exact {

Rule rule(const ir::ops::Activation& op, ir::Types in, ir::Types) {
  const bool is_narrow = core::compute_dtype(in[0].dtype) == ir::DType::f32;
  const auto constant = [&](double x) { return is_narrow ? static_cast<double>(static_cast<float>(x)) : x; };
  if (op.function == ir::ops::ActivationFunction::leaky_relu)
    return adds({{.operands = {0}}, {.operands = {0}, .factor = constant(op.alpha)}});
  if (op.function == ir::ops::ActivationFunction::shrink)
    return adds({{.operands = {0}}, {.operands = {}, .factor = constant(op.beta)}});
  return rounds(ir::cat(ir::enum_name(op.function), " is rounded"));
}

}  // namespace plumb::parity::checks::exact
