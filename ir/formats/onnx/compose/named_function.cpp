// Activations by name, as `unary`, `activation` or a comparison.
#include "ir/formats/onnx/compose/named_function.hpp"

#include <algorithm>

#include "ir/formats/onnx/compose/arithmetic.hpp"
#include "ir/ops/activation.hpp"
#include "ir/ops/compare.hpp"
#include "ir/ops/where.hpp"

namespace plumb::ir::from_onnx {

using ops::ActivationFunction;
using ops::BinaryFunction;
using ops::UnaryFunction;

std::string lower_case(std::string name) {
  std::ranges::transform(name, name.begin(), [](char c) { return 'A' <= c && c <= 'Z' ? c - 'A' + 'a' : c; });
  return name;
}

Ref apply(NodeReader& node, const NamedFunction& function, Ref x) {
  static constexpr std::pair<std::string_view, UnaryFunction> plain[] = {
      {"sigmoid", UnaryFunction::sigmoid},   {"tanh", UnaryFunction::tanh},         {"relu", UnaryFunction::relu},
      {"softsign", UnaryFunction::softsign}, {"softplus", UnaryFunction::softplus},
  };
  static constexpr std::pair<std::string_view, ActivationFunction> with_parameters[] = {
      {"hardsigmoid", ActivationFunction::hard_sigmoid},
      {"leakyrelu", ActivationFunction::leaky_relu},
      {"elu", ActivationFunction::elu},
      {"scaledtanh", ActivationFunction::scaled_tanh},
  };
  for (const auto& [name, unary] : plain)
    if (name == function.name) return node.add(ops::Unary{unary}, {x});
  for (const auto& [name, activation] : with_parameters)
    if (name == function.name) return node.add(ops::Activation{activation, function.alpha, function.beta}, {x});
  const DType dtype = node.dtype(x);
  const Ref alpha = node.scalar(dtype, function.alpha);
  if (function.name == "affine") {
    const Ref scaled = node.add(ops::Binary{BinaryFunction::multiply}, {alpha, x});
    return node.add(ops::Binary{BinaryFunction::add}, {scaled, node.scalar(dtype, function.beta)});
  }
  if (function.name != "thresholdedrelu") NodeReader::unsupported("there is no function ", function.name);
  // In a recurrence alpha itself passes; the operator of that name cuts it off.
  const Ref passes = node.add(ops::Compare{ops::Comparison::greater_equal}, {x, alpha});
  return node.add(ops::Where{}, {passes, x, node.scalar(dtype, 0)});
}

}  // namespace plumb::ir::from_onnx
