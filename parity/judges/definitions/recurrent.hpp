// Nodes that a recurrence is made of, one step or all of them.
#pragma once

#include <map>
#include <tuple>

#include "ir/kernels/recurrent.hpp"
#include "parity/judges/definitions/definition.hpp"

namespace plumb::ir::ops {
struct Gru;
struct Lstm;
struct Rnn;
}  // namespace plumb::ir::ops

/// Recurrences in terms of products and functions (ops.md 11). A sum of a gate is one product [x, h, 1, 1]·[W, R, Wb,
/// Rb]ᵀ, so that its error model allows for every order of all its terms.
namespace plumb::parity::judges::definitions {

/// The state that is handed from step to step: [rows, H] each, a row for each sequence; only lstm has a cell.
struct RecurrentState {
  ir::Value h = 0;
  std::optional<ir::Value> c = {};
};

/// The nodes of one direction of a rnn, gru or lstm.
class RecurrentNodes {
 public:
  /// Adds nodes to a definition that has the operands of the op and no others yet, but those of other directions.
  template <class T>
  RecurrentNodes(const T& op, Definition& made, std::int64_t direction)
      : made_(made),
        graph_(made.graph),
        n_(ir::kernels::recurrent_extents(op, operand_types(made))),
        operands_(ir::kernels::recurrent_operands(op)),
        direction_(direction),
        clip_(op.clip) {
    take_weights();
  }

  const ir::kernels::RecurrentExtents& extents() const { return n_; }

  /// The state after one step on x [rows, I].
  RecurrentState step(const ir::ops::Rnn& op, ir::Value x, const RecurrentState& before);
  RecurrentState step(const ir::ops::Gru& op, ir::Value x, const RecurrentState& before);
  RecurrentState step(const ir::ops::Lstm& op, ir::Value x, const RecurrentState& before);

  /// Sums of gates `first` to `end`, without peepholes: [rows, (end − first)·H].
  ir::Value gate_sums(ir::Value x, ir::Value h, std::int64_t first, std::int64_t end);

  /// The state before the first step: [B, H].
  ir::Value first_state(std::optional<std::size_t> operand);
  const ir::kernels::RecurrentOperands& operands() const { return operands_; }

  ir::Value add(ir::Op op, std::vector<ir::Value> inputs);
  std::vector<ir::Value> add_all(ir::Op op, std::vector<ir::Value> inputs);
  ir::Value reshape(ir::Value x, const ir::Shape& shape);
  /// One number of the dtype that is computed in.
  ir::Value number(double x);
  const ir::Shape& shape(ir::Value x) const { return graph_.type(x).shape; }

 private:
  static ir::TensorTypes operand_types(const Definition& made);
  void take_weights();
  ir::Value part(std::size_t operand, std::int64_t first, std::int64_t size);
  ir::Value rows_of(const std::vector<ir::Value>& parts, std::int64_t first, std::int64_t end);
  ir::Value product(const std::vector<ir::Value>& left, const std::vector<ir::Value>& right, std::int64_t first,
                    std::int64_t end);
  ir::Value ones(ir::Value like);
  ir::Value activated(ir::kernels::RecurrentActivation function, ir::Value z);
  ir::Value peephole(std::int64_t gate, ir::Value sum, const ir::Value& c);
  std::string label();

  Definition& made_;
  ir::Graph& graph_;
  const ir::kernels::RecurrentExtents n_;
  const ir::kernels::RecurrentOperands operands_;
  const std::int64_t direction_;
  const std::optional<double> clip_;
  ir::Value w_ = 0, r_ = 0;               ///< [gates·H, I] and [gates·H, H]
  std::optional<ir::Value> wb_, rb_, p_;  ///< [gates·H, 1], and [3, H]
  // Values that were made before and serve again.
  std::map<double, ir::Value> numbers_;
  std::map<std::int64_t, ir::Value> ones_;
  std::map<std::tuple<std::vector<ir::Value>, std::int64_t, std::int64_t>, ir::Value> rows_;
};

/// The whole op, step by step: lengths are masks.
Definition unrolled(const ir::ops::Rnn& op, ir::Types in);
Definition unrolled(const ir::ops::Gru& op, ir::Types in);
Definition unrolled(const ir::ops::Lstm& op, ir::Types in);

}  // namespace plumb::parity::judges::definitions
