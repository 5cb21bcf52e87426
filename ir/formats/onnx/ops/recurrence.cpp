// Recurrent networks: RNN, GRU and LSTM, whose operands and attributes are alike.

#include <algorithm>

#include "ir/formats/onnx/compose/recurrent_steps.hpp"
#include "ir/ops/gru.hpp"
#include "ir/ops/lstm.hpp"
#include "ir/ops/rnn.hpp"
#include "ir/ops/transpose.hpp"

namespace plumb::ir::from_onnx {
namespace {

using kernels::RecurrentActivation;
using kernels::RecurrentDirection;

/// An operand is there unless it was left out or is zeros in the file, which is what it means to be left out.
bool is_given(const NodeReader& node, std::size_t i) {
  if (!node.has(i)) return false;
  const Tensor* const known = node.value_in_file(node.in(i));
  if (known == nullptr) return true;
  const Tensor wide = convert(*known, DType::f64);
  return std::ranges::any_of(wide.as<double>(), [](double x) { return x != 0; });
}

/// An activation's use of activation_alpha and activation_beta: whether it takes them, and the defaults of ONNX's
/// operator of its name.
struct Parameters {
  std::string_view name;
  std::optional<double> alpha = {}, beta = {};
  bool takes_alpha = false, takes_beta = false;
};

const Parameters& parameters_of(std::string_view name) {
  static constexpr Parameters all[] = {
      {"sigmoid"},
      {"tanh"},
      {"relu"},
      {"softsign"},
      {"softplus"},
      {.name = "hardsigmoid", .alpha = 0.2f, .beta = 0.5f, .takes_alpha = true, .takes_beta = true},
      {.name = "affine", .alpha = 1, .beta = 0, .takes_alpha = true, .takes_beta = true},
      {.name = "scaledtanh", .takes_alpha = true, .takes_beta = true},
      {.name = "leakyrelu", .alpha = 0.01f, .takes_alpha = true},
      {.name = "thresholdedrelu", .alpha = 1, .takes_alpha = true},
      {.name = "elu", .alpha = 1, .takes_alpha = true},
  };
  for (const Parameters& known : all)
    if (known.name == name) return known;
  NodeReader::unsupported("the activation ", name, " is not one of ONNX's");
}

/// The next parameter of a list that functions take one after the other.
double take_next(std::vector<double>& list, std::optional<double> otherwise, std::string_view of) {
  if (list.empty()) {
    require(otherwise.has_value(), "the activation ", of, " has no parameter, and none is usual");
    return *otherwise;
  }
  const double next = list.front();
  list.erase(list.begin());
  return next;
}

/// The functions of each direction in turn, `usual` ones where the node names none.
std::vector<NamedFunction> functions_of(const NodeReader& node, std::vector<std::string> usual,
                                        std::int64_t directions) {
  std::vector<std::string> names;
  if (const auto* const given = node.attribute("activations"))
    names.assign(given->strings().begin(), given->strings().end());
  const auto wanted = static_cast<std::int64_t>(usual.size()) * directions;
  if (names.empty())
    for (std::int64_t d = 0; d < directions; ++d) names.insert(names.end(), usual.begin(), usual.end());
  require(static_cast<std::int64_t>(names.size()) == wanted, "there are ", names.size(), " activations, wanted ",
          wanted);
  auto alphas = node.reals("activation_alpha").value_or(std::vector<double>{}),
       betas = node.reals("activation_beta").value_or(std::vector<double>{});
  std::vector<NamedFunction> all;
  for (const std::string& given : names) {
    const std::string name = lower_case(given);
    const Parameters& takes = parameters_of(name);
    NamedFunction function{.name = name};
    if (takes.takes_alpha) function.alpha = take_next(alphas, takes.alpha, name);
    if (takes.takes_beta) function.beta = take_next(betas, takes.beta, name);
    all.push_back(std::move(function));
  }
  return all;
}

/// The function as the ops have it, whose hard sigmoid has the slope 0.2 and the middle 0.5.
std::optional<RecurrentActivation> of_op(const NamedFunction& function) {
  static constexpr std::pair<std::string_view, RecurrentActivation> all[] = {
      {"sigmoid", RecurrentActivation::sigmoid},   {"tanh", RecurrentActivation::tanh},
      {"relu", RecurrentActivation::relu},         {"hardsigmoid", RecurrentActivation::hard_sigmoid},
      {"softsign", RecurrentActivation::softsign}, {"softplus", RecurrentActivation::softplus}};
  if (function.name == "hardsigmoid" &&
      (static_cast<float>(function.alpha) != 0.2f || static_cast<float>(function.beta) != 0.5f))
    return std::nullopt;
  for (const auto& [name, activation] : all)
    if (name == function.name) return activation;
  return std::nullopt;
}

/// The functions of one direction as the ops have them, which both directions must have alike; or nothing.
std::vector<RecurrentActivation> of_op(const std::vector<NamedFunction>& functions, std::int64_t directions) {
  const auto one = static_cast<std::ptrdiff_t>(functions.size()) / directions;
  if (!std::equal(functions.begin(), functions.begin() + one, functions.end() - one)) return {};
  std::vector<RecurrentActivation> found;
  for (auto function = functions.begin(); function != functions.begin() + one; ++function) {
    const auto activation = of_op(*function);
    if (!activation) return {};
    found.push_back(*activation);
  }
  return found;
}

/// Reads the attributes common to the three operators into `op`; returns x, w, r and the operands that are given, with
/// batches behind the steps.
template <class T>
std::vector<Ref> read_common(NodeReader& node, T& op) {
  if (node.opset() < 7) NodeReader::unsupported("is read from opset 7 on");
  op.direction = node.choice("direction", RecurrentDirection::forward);
  if (const double clip = node.real("clip", 0); clip != 0) op.clip = clip;
  const Shape& r = node.shape(node.in(2));
  if (const auto units = node.integer("hidden_size", r.empty() ? 0 : r.back()); !r.empty())
    require(units == r.back(), "hidden_size is ", units, ", R is ", node.type(node.in(2)));
  op.has_bias = is_given(node, 3);
  op.has_lengths = node.has(4);
  op.has_initial_h = is_given(node, 5);
  const bool batch_first = node.integer("layout", 0) != 0;
  const auto turned = [&](Ref x) { return batch_first ? node.add(ops::Transpose{{1, 0, 2}}, {x}) : x; };
  std::vector<Ref> operands = {turned(node.in(0)), node.in(1), node.in(2)};
  if (op.has_bias) operands.push_back(node.in(3));
  if (op.has_lengths) operands.push_back(node.in(4));
  if (op.has_initial_h) operands.push_back(turned(node.in(5)));
  if constexpr (requires { op.has_initial_c; }) {
    op.has_initial_c = is_given(node, 6);
    op.has_peephole = is_given(node, 7);
    if (op.has_initial_c) operands.push_back(turned(node.in(6)));
    if (op.has_peephole) operands.push_back(node.in(7));
  }
  return operands;
}

std::int64_t directions_of(RecurrentDirection direction) {
  return direction == RecurrentDirection::bidirectional ? 2 : 1;
}

void finish(NodeReader& node, const std::vector<Ref>& made, std::size_t results) {
  const bool batch_first = node.integer("layout", 0) != 0;
  for (std::size_t k = 0; k < results; ++k) {
    if (!node.wants(k)) continue;
    const std::vector<std::int64_t> batch_in_front =
        k == 0 ? std::vector<std::int64_t>{2, 0, 1, 3} : std::vector<std::int64_t>{1, 0, 2};
    node.out(k, batch_first ? node.add(ops::Transpose{batch_in_front}, {made[k]}) : made[k]);
  }
}

/// A node that the op does not cover, of which it has the flags and would have had the operands.
template <class T>
Recurrence recurrence_of(const T& op, Cell cell, const std::vector<Ref>& operands,
                         std::vector<NamedFunction> functions) {
  const auto places = kernels::recurrent_operands(op);
  const auto at = [&](std::optional<std::size_t> i) { return i ? std::optional(operands[*i]) : std::nullopt; };
  return {.cell = cell,
          .direction = op.direction,
          .functions = std::move(functions),
          .clip = op.clip,
          .x = operands[0],
          .w = operands[1],
          .r = operands[2],
          .bias = at(places.bias),
          .lengths = at(places.lengths),
          .h0 = at(places.initial_h),
          .c0 = at(places.initial_c),
          .peephole = at(places.peephole)};
}

void rnn(NodeReader& node) {
  ops::Rnn op;
  const std::vector<Ref> operands = read_common(node, op);
  const auto directions = directions_of(op.direction);
  const auto functions = functions_of(node, {"Tanh"}, directions);
  const auto known = of_op(functions, directions);
  if (known.empty()) return finish(node, in_steps(node, recurrence_of(op, Cell::rnn, operands, functions)), 2);
  op.activation = known[0];
  finish(node, node.add_all(op, operands), 2);
}

void gru(NodeReader& node) {
  ops::Gru op;
  const std::vector<Ref> operands = read_common(node, op);
  const auto directions = directions_of(op.direction);
  const auto functions = functions_of(node, {"Sigmoid", "Tanh"}, directions);
  const auto known = of_op(functions, directions);
  op.linear_before_reset = node.integer("linear_before_reset", 0) != 0;
  if (known.empty()) {
    Recurrence steps = recurrence_of(op, Cell::gru, operands, functions);
    steps.linear_before_reset = op.linear_before_reset;
    return finish(node, in_steps(node, steps), 2);
  }
  op.gate_activation = known[0];
  op.hidden_activation = known[1];
  finish(node, node.add_all(op, operands), 2);
}

void lstm(NodeReader& node) {
  ops::Lstm op;
  const std::vector<Ref> operands = read_common(node, op);
  const auto directions = directions_of(op.direction);
  const auto functions = functions_of(node, {"Sigmoid", "Tanh", "Tanh"}, directions);
  const auto known = of_op(functions, directions);
  op.input_forget = node.integer("input_forget", 0) != 0;
  if (known.empty()) {
    Recurrence steps = recurrence_of(op, Cell::lstm, operands, functions);
    steps.input_forget = op.input_forget;
    return finish(node, in_steps(node, steps), 3);
  }
  op.gate_activation = known[0];
  op.cell_activation = known[1];
  op.hidden_activation = known[2];
  finish(node, node.add_all(op, operands), 3);
}

}  // namespace

std::span<const Converter> recurrence_converters() {
  static constexpr Converter table[] = {{"GRU", gru}, {"LSTM", lstm}, {"RNN", rnn}};
  return table;
}

}  // namespace plumb::ir::from_onnx
