// Whole recurrences, step by step: sequences that run from their end are turned around before and after.
#include "ir/ops/binary.hpp"
#include "ir/ops/compare.hpp"
#include "ir/ops/concat.hpp"
#include "ir/ops/constant.hpp"
#include "ir/ops/expand.hpp"
#include "ir/ops/gru.hpp"
#include "ir/ops/lstm.hpp"
#include "ir/ops/reverse.hpp"
#include "ir/ops/reverse_sequence.hpp"
#include "ir/ops/rnn.hpp"
#include "ir/ops/split.hpp"
#include "ir/ops/where.hpp"
#include "parity/judges/definitions/recurrent.hpp"

namespace plumb::parity::judges::definitions {
namespace {

/// One direction of an op: the steps in the order in which they run.
template <class T>
class Unrolled {
 public:
  Unrolled(const T& op, Definition& made, std::int64_t direction)
      : op_(op), nodes_(op, made, direction), made_(made), n_(nodes_.extents()) {
    is_reverse_ = ir::kernels::is_reverse(op.direction, direction);
    state_.h = nodes_.first_state(nodes_.operands().initial_h);
    if constexpr (has_cell) state_.c = nodes_.first_state(nodes_.operands().initial_c);
    const ir::Value x = turned(made.operands[0]);
    const std::vector<std::int64_t> ones(static_cast<std::size_t>(n_.steps), 1);
    if (n_.steps > 0)
      for (const ir::Value one : nodes_.add_all(ir::ops::Split{.axis = 0, .sizes = ones}, {x}))
        step(nodes_.reshape(one, {n_.batch, n_.inputs}));
  }

  static constexpr bool has_cell = T::gates == 4;

  /// [T, 1, B, H].
  ir::Value states() { return stacked(h_); }
  ir::Value cells() { return stacked(c_); }
  /// [1, B, H].
  ir::Value last_h() { return nodes_.reshape(state_.h, {1, n_.batch, n_.units}); }
  ir::Value last_c() { return nodes_.reshape(*state_.c, {1, n_.batch, n_.units}); }

 private:
  /// Each sequence from its end, where this direction begins there; the steps lie along the first axis.
  ir::Value turned(ir::Value x) {
    if (!is_reverse_) return x;
    if (!nodes_.operands().lengths) return nodes_.add(ir::ops::Reverse{{0}}, {x});
    return nodes_.add(ir::ops::ReverseSequence{.batch_axis = 1, .time_axis = 0}, {x, lengths()});
  }
  ir::Value lengths() const { return made_.operands.at(*nodes_.operands().lengths); }

  void step(ir::Value x) {
    RecurrentState next = nodes_.step(op_, x, state_);
    RecurrentState shown = next;
    if (nodes_.operands().lengths) {
      const ir::Value runs = is_running();
      const ir::Value zeros = nodes_.add(ir::ops::Expand{{n_.batch, n_.units}}, {nodes_.number(0)});
      const auto either = [&](ir::Value a, ir::Value b) { return nodes_.add(ir::ops::Where{}, {runs, a, b}); };
      shown.h = either(next.h, zeros);
      next.h = either(next.h, state_.h);
      if (next.c) {
        shown.c = either(*next.c, zeros);
        next.c = either(*next.c, *state_.c);
      }
    }
    state_ = next;
    h_.push_back(nodes_.reshape(shown.h, {1, n_.batch, n_.units}));
    if (shown.c) c_.push_back(nodes_.reshape(*shown.c, {1, n_.batch, n_.units}));
  }

  /// Which sequences have the step that is made: [B, 1].
  ir::Value is_running() {
    const ir::DType dtype = made_.graph.type(lengths()).dtype;
    const ir::Tensor number =
        ir::convert(ir::Tensor::of<std::int64_t>({}, {static_cast<std::int64_t>(h_.size())}), dtype);
    const ir::Value step =
        nodes_.add(ir::ops::Constant{dtype, {}, ir::Bytes(number.bytes().begin(), number.bytes().end())}, {});
    return nodes_.reshape(nodes_.add(ir::ops::Compare{ir::ops::Comparison::less}, {step, lengths()}), {n_.batch, 1});
  }

  ir::Value stacked(const std::vector<ir::Value>& steps) {
    const ir::Shape shape{n_.steps, 1, n_.batch, n_.units};
    if (steps.empty()) return nodes_.add(ir::ops::Expand{{shape.begin(), shape.end()}}, {nodes_.number(0)});
    return nodes_.reshape(turned(nodes_.add(ir::ops::Concat{0}, steps)), shape);
  }

  const T& op_;
  RecurrentNodes nodes_;
  Definition& made_;
  const ir::kernels::RecurrentExtents n_;
  bool is_reverse_ = false;
  RecurrentState state_;
  std::vector<ir::Value> h_, c_;
};

template <class T>
Definition unroll(const T& op, ir::Types in) {
  Definition made = begin(in);
  std::vector<ir::Value> y, c, h_n, c_n;
  const std::int64_t directions = in[2].shape[0];
  for (std::int64_t d = 0; d < directions; ++d) {
    Unrolled<T> one(op, made, d);
    y.push_back(one.states());
    h_n.push_back(one.last_h());
    if constexpr (Unrolled<T>::has_cell) {
      c.push_back(one.cells());
      c_n.push_back(one.last_c());
    }
  }
  const auto returns = [&](const std::vector<ir::Value>& parts, std::int64_t axis) {
    const std::string label = ir::cat("n", made.graph.nodes().size());
    made.graph.returns(made.graph.add(label, ir::ops::Concat{axis}, parts));
  };
  returns(y, 1);
  returns(h_n, 0);
  if constexpr (requires { op.cell_states; }) {
    returns(c_n, 0);
    if (op.cell_states) returns(c, 1);
  }
  return made;
}

}  // namespace

Definition unrolled(const ir::ops::Rnn& op, ir::Types in) { return unroll(op, in); }
Definition unrolled(const ir::ops::Gru& op, ir::Types in) { return unroll(op, in); }
Definition unrolled(const ir::ops::Lstm& op, ir::Types in) { return unroll(op, in); }

}  // namespace plumb::parity::judges::definitions
