#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "parity/cases/case.hpp"
#include "parity/core/segment.hpp"
#include "parity/verify/candidate_run.hpp"

namespace plumb::parity::verify {

/// The state of one value of the graph while its case runs.
struct ValueState {
  std::optional<ir::Tensor> got;       ///< fed to its readers, until the last of them was judged
  std::optional<ir::Tensor> stored;    ///< in the narrower float that the candidate stored it in, until it was judged
  std::optional<ir::DType> stored_in;  ///< that dtype
  bool is_captured = false;            ///< whether there was ever something to give
  std::optional<std::uint64_t> hash;   ///< hash of what the candidate computed first
  bool is_unstable = false;            ///< another run gave other bits
  std::optional<ir::Tensor> truth;     ///< by the graph from its inputs on, until the last reader was judged
  bool is_clean = false;               ///< its truth is what its readers are given
  bool follows = false;                ///< its truth follows decisions of the candidate's, on the way to it
  std::optional<double> error;         ///< error of what its readers are given, relative to its truth
  bool is_off = false;                 ///< in an exact twin: it is not what it was proved to be
  std::size_t last_use = 0;            ///< the last node whose segment is fed with it
  std::size_t last_reader = 0;         ///< the last node that has it as an operand
};

/// The state of one node of the graph.
struct NodeState {
  std::string no_truth;                  ///< why it has none, where a node of its segment cannot be widened
  core::Segment segment;                 ///< makes the truth of its outputs: the node, and the nodes fused into it
  std::optional<ir::NodeReport> report;  ///< the candidate's; none where it says nothing
  std::vector<ir::Sum> claimed;          ///< how it says that it adds, where nobody vouches for that
  bool is_measured = false;              ///< that is what a profile of it says
  std::size_t stored = 0;                ///< casts at the segment's end, to dtypes that outputs are stored in

  /// The nodes that are judged as one: this one, and those before it whose values nobody has.
  std::size_t group() const { return segment.graph.nodes().size() - stored; }

  /// The sums that count: those of our own kernels, and those that a candidate was believed.
  std::vector<ir::Sum> published() const { return report ? report->sums : std::vector<ir::Sum>{}; }
};

/// All that a case has learnt of its values and nodes, and what it still holds of them.
class CaseState {
 public:
  CaseState(const cases::Case& subject, bool isolates, bool keeps_all);

  ValueState& value(ir::Value v) { return values_.at(v); }
  const ValueState& value(ir::Value v) const { return values_.at(v); }
  NodeState& node(std::size_t n) { return nodes_.at(n); }
  const NodeState& node(std::size_t n) const { return nodes_.at(n); }

  /// Whether there is, was or will be something of the candidate's to compare.
  bool is_captured(ir::Value v) const { return graph_.is_source(v) || isolates_ || value(v).is_captured; }
  /// Whether nothing was wrong on the way to what its readers are given.
  bool is_clean(ir::Value v) const { return graph_.is_source(v) || value(v).is_clean; }
  /// The tensor that the readers of a value are fed.
  const ir::Tensor& got(ir::Value v) const;
  /// A value of a node's as the candidate gave it.
  const ir::Tensor& given(ir::Value v) const { return value(v).stored ? *value(v).stored : value(v).got.value(); }
  /// The dtype in which the candidate stored a value.
  ir::DType dtype_of(ir::Value v) const;
  /// Whether the graph from its inputs on says what a value is: nothing on its way lacks a truth.
  bool has_truth(ir::Value v) const { return graph_.is_source(v) || value(v).truth.has_value(); }
  /// Whether some node lacks a truth.
  bool lacks_truth() const;
  /// The truth of a value in the graph from its inputs on.
  ir::Tensor truth(ir::Value v) const;

  /// Keeps what the candidate computed.
  void take(CandidateRun& run);
  void give(ir::Value v, ir::Tensor tensor);
  /// Cuts the graph into segments, and notes how long each value is needed.
  void plan(const std::function<bool(std::size_t)>& must_be_exact);
  /// Lets the segment of a node end with its outputs as they are stored, which plan does for values that are there.
  void store_outputs(std::size_t n);
  /// Lets go of what no node after `n` reads.
  void release(std::size_t n);
  /// Lets go of the memory of what the node looked at and a file has.
  void release_pages(std::size_t n) const;

 private:
  const cases::Case& subject_;
  const ir::Graph& graph_;
  const bool isolates_, keeps_all_;
  std::vector<ValueState> values_;  ///< by number
  std::vector<NodeState> nodes_;
};

/// Feeds that have truths of the graph without copies, and give them back in the end.
class LentTruths {
 public:
  explicit LentTruths(CaseState& state, ir::Feeds feeds = {}) : state_(state), feeds_(std::move(feeds)) {}
  ~LentTruths() {
    for (const auto& [v, tensor] : lent_) state_.value(v).truth = std::move(*tensor);
  }
  LentTruths(const LentTruths&) = delete;
  LentTruths& operator=(const LentTruths&) = delete;

  /// Feeds a segment of one node with the truths of the whole graph: those of sources that it is not fed already, and
  /// those that nodes made, which nobody else has as long as this lives.
  void feed(const ir::Graph& graph, const core::Segment& alone);

  const ir::Feeds& feeds() const { return feeds_; }

 private:
  CaseState& state_;
  ir::Feeds feeds_;
  std::vector<std::pair<ir::Value, ir::Tensor*>> lent_;
};

}  // namespace plumb::parity::verify
