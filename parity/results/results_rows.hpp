#pragma once

#include <functional>

#include "parity/cases/node_result.hpp"
#include "parity/cases/pair_result.hpp"
#include "parity/profile/device.hpp"
#include "parity/results/results_tables.hpp"
#include "parity/results/sum_list.hpp"

namespace plumb::parity::results {

/// The number of a text in /names.
using NameId = std::function<std::uint32_t(const std::string&)>;

/// The row of a graph's node table that stands for a node: sources come first.
std::uint32_t node_row(const ir::Graph& graph, std::size_t node);

/// `proofs` is empty, or has one for each node.
std::vector<GraphNode> graph_nodes(const ir::Graph& graph, std::span<const core::Proof> proofs, const NameId& name_id);

/// Source node, its output, destination node, its input: four numbers an edge.
std::vector<std::uint32_t> graph_edges(const ir::Graph& graph);

/// The rows of a file for the outputs of nodes: for one that was compared a row for each
/// part, for any other one row without numbers.
class Rows {
 public:
  std::vector<Node> nodes;
  std::vector<std::uint32_t> hist_ulp, hist_ratio;
  std::vector<TopElement> topk;

  Rows(const ir::Graph& graph, std::uint32_t run, NameId name_id, SumList& sums)
      : graph_(graph), run_(run), name_id_(std::move(name_id)), sums_(sums) {}

  void add(const cases::NodeResult& result);

  /// Leaves what judging again and fitting read of a run that passed: of each output the ratios of its own error, to 24
  /// bits and towards zero, and where the largest of them is; whole rows of errors in total that were judged or are of
  /// the graph's results.
  void shorten();

 private:
  void add_part(const cases::NodeResult& result, Part part, const compare::Comparison& c);
  void describe_kernel(Node& row, const cases::NodeResult& result);

  const ir::Graph& graph_;
  const std::uint32_t run_;
  const NameId name_id_;
  SumList& sums_;
};

std::vector<Coopmat> coopmat_rows(std::span<const profile::CooperativeShape> shapes);

std::vector<RelationRow> relation_rows(const ir::Graph& graph, std::span<const cases::RelationResult> relations,
                                       std::uint32_t run, const NameId& name_id);

/// Says which attempt at a run it was, how those before it ended, and what is planted in it.
void set_attempts(Run& run, const cases::CaseResult& result, const NameId& name_id);

/// The patterns of the failing elements of nodes.
std::vector<PatternRow> pattern_rows(const cases::CaseResult& result, std::uint32_t run, const NameId& name_id);

/// The maps of nodes that have one.
std::vector<MapRow> map_rows(const cases::CaseResult& result, std::uint32_t run);

/// The results of the tensors that another implementation gave.
std::vector<ExpectedRow> expected_rows(std::span<const cases::ExpectedResult> expected, std::uint32_t run,
                                       const NameId& name_id);

/// How results of several candidates on one case compare; `first_run` is the run of the first of these candidates,
/// whose runs follow one another.
std::vector<PairRow> pair_rows(std::span<const cases::PairResult> pairs, std::uint32_t first_run,
                               const NameId& name_id);

/// Notes as one text, a JSON list, and back; "" for none.
std::string notes_text(const std::vector<std::string>& notes);
std::vector<std::string> notes_of(const std::string& text);

/// The limit of every element of an output, for its truth.
ir::Tensor bounds(const compare::Allowed& allowed, const ir::TensorView& truth, ir::DType dtype);

}  // namespace plumb::parity::results
