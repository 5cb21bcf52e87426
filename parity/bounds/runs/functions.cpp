// Names the functions that libraries approximate absolutely.
#include "parity/bounds/runs/functions.hpp"

#include <algorithm>
#include <set>

#include "ir/ops/activation.hpp"
#include "ir/ops/gru.hpp"
#include "ir/ops/lstm.hpp"
#include "ir/ops/rnn.hpp"
#include "ir/ops/softmax.hpp"
#include "ir/ops/unary.hpp"

namespace plumb::parity::bounds::runs {

bool is_approximated(const ir::Op& op) {
  using F = ir::ops::UnaryFunction;
  constexpr std::array functions = {F::exp,  F::tanh,  F::sinh,      F::cosh,     F::erf,  F::sigmoid,    F::silu,
                                    F::gelu, F::expm1, F::gelu_tanh, F::softplus, F::mish, F::log_sigmoid};
  if (op.is<ir::ops::Unary>()) return std::ranges::count(functions, op.as<ir::ops::Unary>().function) > 0;
  return op.is<ir::ops::Activation>() || op.is<ir::ops::Lstm>() || op.is<ir::ops::Gru>() || op.is<ir::ops::Rnn>() ||
         op.is<ir::ops::Softmax>();
}

std::string approximated_functions(const ir::Graph& graph) {
  std::set<std::string> names;
  for (const ir::Node& node : graph.nodes())
    if (is_approximated(node.op))
      names.insert(std::string(node.op.function().empty() ? node.op.name() : node.op.function()));
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

}  // namespace plumb::parity::bounds::runs
