// Metamorphic checks of a case: the whole graph again, with fewer values kept and on buffers, then each node alone.
#include "parity/checks/relations/metamorphic.hpp"

#include <algorithm>

#include "parity/checks/relations/node_check.hpp"
#include "parity/checks/relations/residency.hpp"
#include "parity/compare/element_counts.hpp"

namespace plumb::parity::checks::relations {
namespace {

class GraphCheck {
 public:
  GraphCheck(const cases::Case& subject, const cases::Executors& executors, double lambda)
      : subject_(subject), graph_(subject.file->graph), executors_(executors), lambda_(lambda) {}

  std::vector<cases::RelationResult> run(const cases::NodeFilter& chosen);

 private:
  void run_graph();
  void hold(cases::Relation relation, const ir::Tensors& again);
  Operands operands_of(const ir::Node& node) const;
  void complete(const ir::Node& node);

  const cases::Case& subject_;
  const ir::Graph& graph_;
  const cases::Executors& executors_;
  const double lambda_;
  ir::Tensors values_;  ///< the candidate's values, each until its last reader was checked
  std::vector<cases::RelationResult> results_;
};

void GraphCheck::hold(cases::Relation relation, const ir::Tensors& again) {
  for (const auto& [value, tensor] : again) {
    if (graph_.is_source(value)) continue;
    const ir::Tensor& first = values_.at(value);
    cases::RelationResult result{*graph_.producer(value), graph_.name(value), relation, "every bit"};
    result.n = static_cast<std::uint64_t>(tensor.elements());
    result.n_bad = compare::count_other_bits(tensor, first);
    result.n_differ = result.n_bad;
    if (result.n_bad > 0) {
      result.verdict = core::Verdict::failed;
      result.why = ir::cat(result.n_bad, " of ", result.n, " elements have other bits");
    }
    results_.push_back(std::move(result));
  }
}

/// Another run gives the same values, and so does one that keeps fewer of them, or that is on buffers. Executables go
/// before the next are made, which have memory of their own.
void GraphCheck::run_graph() {
  const auto compile = [this](bool surviving) {
    return executors_.candidate->compile(graph_, subject_.feeds, {graph_.results(), surviving});
  };
  {
    const auto tapped = compile(true);
    values_ = tapped->run(subject_.feeds);
    hold(cases::Relation::run_to_run, tapped->run(subject_.feeds));
  }
  const ir::Tensors results = compile(false)->run(subject_.feeds);
  hold(cases::Relation::tap, results);
  std::ranges::move(check_residency(*executors_.candidate, graph_, subject_.feeds, results),
                    std::back_inserter(results_));
}

Operands GraphCheck::operands_of(const ir::Node& node) const {
  Operands operands;
  for (const ir::Value v : node.inputs) {
    operands.tensors.push_back(graph_.is_source(v) ? ir::fed(graph_, subject_.feeds, v) : values_.at(v));
    operands.is_param.push_back(graph_.is_source(v) && v >= graph_.inputs().size());
  }
  return operands;
}

/// Computes values that a pass of the candidate did away with, by the node alone.
void GraphCheck::complete(const ir::Node& node) {
  if (std::ranges::all_of(node.outputs, [this](ir::Value v) { return values_.contains(v); })) return;
  const Operands operands = operands_of(node);
  ir::OpRun alone =
      ir::run_op_with_report(*executors_.candidate, node.op, operands.tensors, node.label, operands.is_param);
  for (std::size_t k = 0; k < node.outputs.size(); ++k) values_.emplace(node.outputs[k], std::move(alone.outputs[k]));
}

std::vector<cases::RelationResult> GraphCheck::run(const cases::NodeFilter& chosen) {
  run_graph();
  std::map<ir::Value, std::size_t> last_reader;
  for (std::size_t n = 0; n < graph_.nodes().size(); ++n)
    for (const ir::Value v : graph_.nodes()[n].inputs) last_reader[v] = n;
  for (std::size_t n = 0; n < graph_.nodes().size(); ++n) {
    const ir::Node& node = graph_.nodes()[n];
    complete(node);
    if (!node.inputs.empty() && chosen.takes(node)) {
      auto found = check_node(executors_, graph_, n, operands_of(node), lambda_);
      std::ranges::move(found, std::back_inserter(results_));
    }
    std::erase_if(values_, [&](const auto& held) {
      const auto reader = last_reader.find(held.first);
      return reader == last_reader.end() ? graph_.producer(held.first) <= n : reader->second <= n;
    });
  }
  return std::move(results_);
}

}  // namespace

std::vector<cases::RelationResult> check(const cases::Case& subject, const cases::Executors& executors,
                                         const cases::NodeFilter& filter, double lambda) {
  if (executors.candidate == nullptr) throw ir::Unsupported(executors.why_not);
  return GraphCheck(subject, executors, lambda).run(filter);
}

void add(const cases::Case& subject, const cases::Executors& executors, const cases::NodeFilter& filter,
         cases::CaseResult& result) {
  result.relations = check(subject, executors, filter, result.false_alarms.lambda());
  if (std::ranges::find(result.relations, core::Verdict::failed, &cases::RelationResult::verdict) ==
      result.relations.end())
    return;
  const std::array both = {result.verdict, core::Verdict::failed};
  result.verdict = core::overall(both);
}

}  // namespace plumb::parity::checks::relations
