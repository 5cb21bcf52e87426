#include "ir/formats/onnx/compose/recurrent_steps.hpp"

#include <tuple>

#include "ir/formats/onnx/compose/arithmetic.hpp"
#include "ir/ops/clamp.hpp"
#include "ir/ops/compare.hpp"
#include "ir/ops/concat.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/slice.hpp"
#include "ir/ops/where.hpp"

namespace plumb::ir::from_onnx {
namespace {

using ops::BinaryFunction;

/// Elements [begin, begin + size) along an axis.
Ref part(NodeReader& node, Ref x, std::int64_t axis, std::int64_t begin, std::int64_t size) {
  return node.add(ops::Slice{.axes = {axis}, .starts = {begin}, .sizes = {size}, .steps = {}}, {x});
}

/// Element `at` along the first axis, without the axis.
Ref row_of(NodeReader& node, Ref x, std::int64_t at) {
  Shape shape = node.shape(x);
  shape.erase(shape.begin());
  return node.reshape(part(node, x, 0, at, 1), shape);
}

/// One direction of a recurrence. States and gates are [B, H].
class Steps {
 public:
  Steps(NodeReader& node, const Recurrence& of, std::int64_t d);

  void run();
  /// The hidden states [T, B, H] by place in x, and the last states [B, H].
  Ref states() const { return states_; }
  Ref hidden() const { return hidden_; }
  Ref cell() const { return cell_; }

 private:
  Ref add(Ref a, Ref b) { return binary(node_, BinaryFunction::add, a, b); }
  Ref times(Ref a, Ref b) { return binary(node_, BinaryFunction::multiply, a, b); }
  Ref one_minus(Ref x) { return binary(node_, BinaryFunction::subtract, node_.scalar(dtype_, 1), x); }
  Ref gate(Ref all, std::int64_t k) { return part(node_, all, -1, k * units_, units_); }
  /// Activation number `function` of this direction, on x within the clip.
  Ref activated(std::size_t function, Ref x);
  Ref initial(std::optional<Ref> given);
  /// h·Rᵀ of `count` gates from `first` on, with their biases.
  Ref recurrent(Ref h, std::int64_t first, std::int64_t count);
  Ref with_peephole(Ref gate, std::int64_t k, Ref cell);
  Ref next_rnn(Ref x) { return activated(0, add(x, recurrent(hidden_, 0, 1))); }
  Ref next_gru(Ref x);
  /// The next hidden state and cell.
  std::pair<Ref, Ref> next_lstm(Ref x);

  NodeReader& node_;
  const Recurrence& of_;
  std::int64_t d_, steps_, batch_, units_, gates_;
  DType dtype_;
  Ref inputs_ = 0, weights_ = 0, states_ = 0, hidden_ = 0, cell_ = 0;
  std::optional<Ref> bias_, peephole_;
};

Steps::Steps(NodeReader& node, const Recurrence& of, std::int64_t d) : node_(node), of_(of), d_(d) {
  const Shape x = node.shape(of.x), r = node.shape(of.r), w = node.shape(of.w);
  require(x.rank() == 3 && w.rank() == 3 && r.rank() == 3 && d < r[0] && r[2] >= 1 && r[1] % r[2] == 0, "X is ",
          node.type(of.x), ", W is ", node.type(of.w), ", R is ", node.type(of.r));
  steps_ = x[0];
  batch_ = x[1];
  units_ = r[2];
  gates_ = r[1] / r[2];
  dtype_ = node.dtype(of.x);
  weights_ = row_of(node, of.r, d);
  inputs_ = node.add(ops::Matmul{.transpose_b = true, .output_dtype = {}}, {of.x, row_of(node, of.w, d)});
  if (of.bias) {
    const Ref both = row_of(node, *of.bias, d);
    inputs_ = add(inputs_, part(node, both, 0, 0, gates_ * units_));
    bias_ = part(node, both, 0, gates_ * units_, gates_ * units_);
  }
  if (of.peephole) peephole_ = row_of(node, *of.peephole, d);
  hidden_ = initial(of.h0);
  if (of.cell == Cell::lstm) cell_ = initial(of.c0);
}

Ref Steps::initial(std::optional<Ref> given) {
  return given ? row_of(node_, *given, d_) : node_.constant(Tensor({dtype_, {batch_, units_}}));
}

Ref Steps::activated(std::size_t function, Ref x) {
  if (of_.clip) x = node_.add(ops::Clamp{}, {x, node_.scalar(dtype_, -*of_.clip), node_.scalar(dtype_, *of_.clip)});
  const std::size_t count = of_.cell == Cell::rnn ? 1 : of_.cell == Cell::gru ? 2 : 3;
  return apply(node_, of_.functions.at(static_cast<std::size_t>(d_) * count + function), x);
}

Ref Steps::recurrent(Ref h, std::int64_t first, std::int64_t count) {
  const bool all = count == gates_;
  const Ref weights = all ? weights_ : part(node_, weights_, 0, first * units_, count * units_);
  const Ref sum = node_.add(ops::Matmul{.transpose_b = true, .output_dtype = {}}, {h, weights});
  if (!bias_) return sum;
  return add(sum, all ? *bias_ : part(node_, *bias_, 0, first * units_, count * units_));
}

Ref Steps::next_gru(Ref x) {
  const Ref sums = add(part(node_, x, -1, 0, 2 * units_), recurrent(hidden_, 0, 2));
  const Ref update = activated(0, gate(sums, 0)), reset = activated(0, gate(sums, 1));
  const Ref of_state =
      of_.linear_before_reset ? times(reset, recurrent(hidden_, 2, 1)) : recurrent(times(reset, hidden_), 2, 1);
  const Ref made = activated(1, add(gate(x, 2), of_state));
  return add(times(one_minus(update), made), times(update, hidden_));
}

Ref Steps::with_peephole(Ref gate, std::int64_t k, Ref cell) {
  return peephole_ ? add(gate, times(part(node_, *peephole_, 0, k * units_, units_), cell)) : gate;
}

std::pair<Ref, Ref> Steps::next_lstm(Ref x) {
  const Ref sums = add(x, recurrent(hidden_, 0, 4));  // input, output, forget, cell; peepholes lack the last
  const Ref in = activated(0, with_peephole(gate(sums, 0), 0, cell_));
  const Ref forget = of_.input_forget ? one_minus(in) : activated(0, with_peephole(gate(sums, 2), 2, cell_));
  const Ref cell = add(times(forget, cell_), times(in, activated(1, gate(sums, 3))));
  const Ref out = activated(0, with_peephole(gate(sums, 1), 1, cell));
  return {times(out, activated(2, cell)), cell};
}

void Steps::run() {
  std::vector<Ref> all(static_cast<std::size_t>(steps_));
  std::optional<Ref> lengths;
  if (of_.lengths) lengths = node_.reshape(node_.cast(*of_.lengths, DType::i64), {batch_, 1});
  const Ref zero = node_.scalar(dtype_, 0);
  const bool backward = kernels::is_reverse(of_.direction, d_);
  for (std::int64_t k = 0; k < steps_; ++k) {
    const std::int64_t t = backward ? steps_ - 1 - k : k;
    const Ref x = row_of(node_, inputs_, t);
    Ref cell = cell_, hidden{};
    if (of_.cell == Cell::rnn) hidden = next_rnn(x);
    if (of_.cell == Cell::gru) hidden = next_gru(x);
    if (of_.cell == Cell::lstm) std::tie(hidden, cell) = next_lstm(x);
    Ref shown = hidden;
    if (lengths) {  // beyond its length a sequence shows zeros and keeps its states
      const Ref now = node_.constant(Tensor::of<std::int64_t>({}, {t}));
      const Ref runs = node_.add(ops::Compare{ops::Comparison::less}, {now, *lengths});
      shown = node_.add(ops::Where{}, {runs, hidden, zero});
      hidden = node_.add(ops::Where{}, {runs, hidden, hidden_});
      if (of_.cell == Cell::lstm) cell = node_.add(ops::Where{}, {runs, cell, cell_});
    }
    hidden_ = hidden;
    cell_ = cell;
    all[static_cast<std::size_t>(t)] = node_.reshape(shown, {1, batch_, units_});
  }
  states_ = all.empty()       ? node_.constant(Tensor({dtype_, {0, batch_, units_}}))
            : all.size() == 1 ? all[0]
                              : node_.add(ops::Concat{0}, all);
}

Ref directions_joined(NodeReader& node, std::vector<Ref> parts, const Shape& shape, std::int64_t axis) {
  for (Ref& x : parts) x = node.reshape(x, shape);
  return parts.size() == 1 ? parts[0] : node.add(ops::Concat{axis}, parts);
}

}  // namespace

std::vector<Ref> in_steps(NodeReader& node, const Recurrence& of) {
  const bool both = of.direction == kernels::RecurrentDirection::bidirectional;
  std::vector<Ref> y, h, c;
  for (std::int64_t d = 0; d < (both ? 2 : 1); ++d) {
    Steps steps(node, of, d);
    steps.run();
    y.push_back(steps.states());
    h.push_back(steps.hidden());
    c.push_back(steps.cell());
  }
  const Shape states = node.shape(y[0]);  // [T, B, H]
  const Shape one{1, states[1], states[2]};
  std::vector<Ref> results = {directions_joined(node, y, {states[0], 1, states[1], states[2]}, 1),
                              directions_joined(node, h, one, 0)};
  if (of.cell == Cell::lstm) results.push_back(directions_joined(node, c, one, 0));
  return results;
}

}  // namespace plumb::ir::from_onnx
