// Nodes of a recurrence: sums of gates as one product, functions behind them, the states that come of them.
#include "parity/judges/definitions/recurrent.hpp"

#include "ir/ops/binary.hpp"
#include "ir/ops/clamp.hpp"
#include "ir/ops/concat.hpp"
#include "ir/ops/constant.hpp"
#include "ir/ops/expand.hpp"
#include "ir/ops/gru.hpp"
#include "ir/ops/lstm.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/reshape.hpp"
#include "ir/ops/rnn.hpp"
#include "ir/ops/slice.hpp"
#include "ir/ops/split.hpp"
#include "ir/ops/unary.hpp"

namespace plumb::parity::judges::definitions {
namespace {

using ir::kernels::RecurrentActivation;
using ir::ops::BinaryFunction;
using ir::ops::UnaryFunction;

ir::ops::Binary binary(BinaryFunction function) { return {function}; }

UnaryFunction function_of(RecurrentActivation activation) {
  switch (activation) {
    case RecurrentActivation::sigmoid:
      return UnaryFunction::sigmoid;
    case RecurrentActivation::tanh:
      return UnaryFunction::tanh;
    case RecurrentActivation::softsign:
      return UnaryFunction::softsign;
    case RecurrentActivation::softplus:
      return UnaryFunction::softplus;
    default:
      return UnaryFunction::relu;
  }
}

}  // namespace

ir::TensorTypes RecurrentNodes::operand_types(const Definition& made) {
  ir::TensorTypes types;
  for (const ir::Value v : made.operands) types.push_back(made.graph.type(v));
  return types;
}

std::string RecurrentNodes::label() { return ir::cat("n", graph_.nodes().size()); }
ir::Value RecurrentNodes::add(ir::Op op, std::vector<ir::Value> inputs) {
  return graph_.add(label(), std::move(op), std::move(inputs));
}
std::vector<ir::Value> RecurrentNodes::add_all(ir::Op op, std::vector<ir::Value> inputs) {
  return graph_.add_all(label(), std::move(op), std::move(inputs));
}
ir::Value RecurrentNodes::reshape(ir::Value x, const ir::Shape& shape) {
  return add(ir::ops::Reshape{{shape.begin(), shape.end()}}, {x});
}
ir::Value RecurrentNodes::number(double x) {
  const auto [place, is_new] = numbers_.try_emplace(x, 0);
  if (!is_new) return place->second;
  const ir::DType dtype = graph_.type(made_.operands[0]).dtype;
  const ir::Tensor one = ir::convert(ir::Tensor::of<double>({}, {x}), dtype);
  return place->second = add(ir::ops::Constant{dtype, {}, ir::Bytes(one.bytes().begin(), one.bytes().end())}, {});
}
ir::Value RecurrentNodes::ones(ir::Value like) {
  const auto [place, is_new] = ones_.try_emplace(shape(like)[0], 0);
  return is_new ? place->second = add(ir::ops::Expand{{shape(like)[0], 1}}, {number(1)}) : place->second;
}

/// Elements of this direction of an operand [D, ..].
ir::Value RecurrentNodes::part(std::size_t operand, std::int64_t first, std::int64_t size) {
  return add(ir::ops::Slice{.axes = {0, 1}, .starts = {direction_, first}, .sizes = {1, size}, .steps = {}},
             {made_.operands.at(operand)});
}

void RecurrentNodes::take_weights() {
  const std::int64_t rows = n_.gate_rows();
  w_ = reshape(part(1, 0, rows), {rows, n_.inputs});
  r_ = reshape(part(2, 0, rows), {rows, n_.units});
  if (operands_.bias) {
    wb_ = reshape(part(*operands_.bias, 0, rows), {rows, 1});
    rb_ = reshape(part(*operands_.bias, rows, rows), {rows, 1});
  }
  if (operands_.peephole) p_ = reshape(part(*operands_.peephole, 0, 3 * n_.units), {3, n_.units});
}

ir::Value RecurrentNodes::first_state(std::optional<std::size_t> operand) {
  if (operand) return reshape(part(*operand, 0, n_.batch), {n_.batch, n_.units});
  return add(ir::ops::Expand{{n_.batch, n_.units}}, {number(0)});
}

/// [parts..] side by side, rows of gates `first` to `end`: made once, however many steps there are.
ir::Value RecurrentNodes::rows_of(const std::vector<ir::Value>& parts, std::int64_t first, std::int64_t end) {
  const auto [place, is_new] = rows_.try_emplace({parts, first, end}, 0);
  if (!is_new) return place->second;
  ir::Value rows = add(ir::ops::Concat{1}, parts);
  if (end - first < n_.gates)
    rows =
        add(ir::ops::Slice{.axes = {0}, .starts = {first * n_.units}, .sizes = {(end - first) * n_.units}, .steps = {}},
            {rows});
  return rows_[{parts, first, end}] = rows;
}

/// [left..]·[right..]ᵀ, of gates `first` to `end`.
ir::Value RecurrentNodes::product(const std::vector<ir::Value>& left, const std::vector<ir::Value>& right,
                                  std::int64_t first, std::int64_t end) {
  const ir::Value a = add(ir::ops::Concat{1}, left), b = rows_of(right, first, end);
  return add(ir::ops::Matmul{false, true, {}}, {a, b});
}

ir::Value RecurrentNodes::gate_sums(ir::Value x, ir::Value h, std::int64_t first, std::int64_t end) {
  std::vector<ir::Value> left = {x, h}, right = {w_, r_};
  if (wb_) {
    const ir::Value one = ones(x);
    left.insert(left.end(), {one, one});
    right.insert(right.end(), {*wb_, *rb_});
  }
  return product(left, right, first, end);
}

/// f(κ(z)).
ir::Value RecurrentNodes::activated(RecurrentActivation function, ir::Value z) {
  if (clip_) z = add(ir::ops::Clamp{}, {z, number(-*clip_), number(*clip_)});
  if (function == RecurrentActivation::identity) return z;
  if (function != RecurrentActivation::hard_sigmoid) return add(ir::ops::Unary{function_of(function)}, {z});
  const ir::Value slope = add(binary(BinaryFunction::multiply), {z, number(0.2)});
  return add(ir::ops::Clamp{}, {add(binary(BinaryFunction::add), {slope, number(0.5)}), number(0), number(1)});
}

/// A gate's sum with P⊙c behind it, where there are peepholes, in the order i, o, f.
ir::Value RecurrentNodes::peephole(std::int64_t gate, ir::Value sum, const ir::Value& c) {
  if (!p_) return sum;
  const ir::Value p = add(ir::ops::Slice{.axes = {0}, .starts = {gate}, .sizes = {1}, .steps = {}}, {*p_});
  return add(binary(BinaryFunction::add), {sum, add(binary(BinaryFunction::multiply), {p, c})});
}

RecurrentState RecurrentNodes::step(const ir::ops::Rnn& op, ir::Value x, const RecurrentState& before) {
  return {activated(op.activation, gate_sums(x, before.h, 0, 1))};
}

RecurrentState RecurrentNodes::step(const ir::ops::Gru& op, ir::Value x, const RecurrentState& before) {
  const ir::ops::Split halves{.axis = 1, .sizes = {n_.units, n_.units}};
  const auto gates = add_all(halves, {activated(op.gate_activation, gate_sums(x, before.h, 0, 2))});
  const ir::Value z = gates[0], reset = gates[1];
  ir::Value sum = 0;
  if (op.linear_before_reset) {
    std::vector<ir::Value> of_x = {x}, w = {w_}, of_h = {before.h}, r = {r_};
    if (wb_) {
      of_x.push_back(ones(x));
      w.push_back(*wb_);
      of_h.push_back(ones(x));
      r.push_back(*rb_);
    }
    const ir::Value behind = add(binary(BinaryFunction::multiply), {reset, product(of_h, r, 2, 3)});
    sum = add(binary(BinaryFunction::add), {product(of_x, w, 2, 3), behind});
  } else {
    sum = gate_sums(x, add(binary(BinaryFunction::multiply), {reset, before.h}), 2, 3);
  }
  const ir::Value candidate = activated(op.hidden_activation, sum);
  const ir::Value rest = add(binary(BinaryFunction::subtract), {number(1), z});
  const ir::Value made = add(binary(BinaryFunction::multiply), {rest, candidate});
  return {add(binary(BinaryFunction::add), {made, add(binary(BinaryFunction::multiply), {z, before.h})})};
}

RecurrentState RecurrentNodes::step(const ir::ops::Lstm& op, ir::Value x, const RecurrentState& before) {
  const ir::Value c = before.c.value();
  const auto split = [&](ir::Value sums) {
    return add_all(ir::ops::Split{.axis = 1,
                                  .sizes = std::vector<std::int64_t>(
                                      static_cast<std::size_t>(shape(sums)[1] / n_.units), n_.units)},
                   {sums});
  };
  // Without a forget gate of its own (input_forget) that gate's weights stay unread.
  std::vector<ir::Value> sums = split(gate_sums(x, before.h, 0, op.input_forget ? 2 : 4));
  const ir::Value candidate = activated(op.cell_activation, op.input_forget ? gate_sums(x, before.h, 3, 4) : sums[3]);
  const ir::Value i = activated(op.gate_activation, peephole(0, sums[0], c));
  const ir::Value f = op.input_forget ? add(binary(BinaryFunction::subtract), {number(1), i})
                                      : activated(op.gate_activation, peephole(2, sums[2], c));
  const ir::Value kept = add(binary(BinaryFunction::multiply), {f, c});
  const ir::Value next =
      add(binary(BinaryFunction::add), {kept, add(binary(BinaryFunction::multiply), {i, candidate})});
  const ir::Value o = activated(op.gate_activation, peephole(1, sums[1], next));
  return {add(binary(BinaryFunction::multiply), {o, activated(op.hidden_activation, next)}), next};
}

}  // namespace plumb::parity::judges::definitions
