#pragma once

#include <map>
#include <optional>
#include <unordered_map>

#include "ir/graph.hpp"
#include "ir/tensor.hpp"
#include "parity/element/call.hpp"

namespace plumb::parity::element {

/// Evaluates single elements of the values of a graph by the definitions of its ops. The oracle of an op asks those of
/// the ops before it for the elements that it needs; those of the graph's inputs are given. Floats of any width are f64
/// in between, as they are in the truth (ops.md 1.10).
class Oracle {
 public:
  /// `inputs` are those of the graph, which has no params, in their own dtypes; both must outlive the oracle. Elements
  /// that are looked at count against `work`.
  Oracle(const ir::Graph& graph, std::span<const ir::TensorView> inputs, std::int64_t work);

  /// An element by its flat index; nothing where there is no answer (NoAnswer), or no work is left.
  std::optional<Number> element(ir::Value value, std::int64_t index);
  bool is_exhausted() const { return work_ <= 0; }

 private:
  void look_at(std::int64_t count);
  Number at(ir::Value value, std::int64_t index);
  Number evaluated(ir::Value value, std::int64_t index);

  struct Source {
    const ir::Node* node;
    std::size_t output;
  };
  const ir::Graph& graph_;
  std::span<const ir::TensorView> inputs_;
  std::int64_t work_;
  std::map<ir::Value, Source> sources_;
  std::map<const ir::Node*, std::vector<Operand>> operands_;
  std::map<ir::Value, std::unordered_map<std::int64_t, Number>> known_;
};

/// The element of an op that a call asks for. Throws NoAnswer.
Number element_of(const ir::Op& op, const Call& call);

/// The ops that have an oracle.
std::vector<const ir::OpSchema*> ops_with_oracles();

}  // namespace plumb::parity::element
