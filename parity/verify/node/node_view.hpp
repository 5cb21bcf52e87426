#pragma once

#include <vector>

#include "parity/bounds/runs/sign_runs.hpp"
#include "parity/cases/executors.hpp"
#include "parity/judges/node_judge.hpp"
#include "parity/verify/case_state.hpp"
#include "parity/verify/verify.hpp"

namespace plumb::parity::verify {

/// How all nodes of a case are judged.
struct Rules {
  const cases::Case& subject;
  const cases::Executors& executors;
  const VerifyOptions& options;
  bool may_flush = false;  ///< limits allow 0 in place of a subnormal
  double deviations = 0;   ///< standard deviations that every limit allows for (verdict.md V52)

  const ir::Graph& graph() const { return subject.file->graph; }
  /// Whether the candidate is somebody else's.
  bool is_foreign() const { return executors.foreign != nullptr; }
  bool isolates() const { return options.mode == core::Mode::isolate; }
  /// Whether an exact twin proves that the node rounds nothing.
  bool must_be_exact(std::size_t n) const {
    return !subject.proofs.empty() && subject.proofs[n].exact == core::Exactness::proved;
  }
  /// How far elements may be off in any implementation, whatever judges the op.
  bounds::runs::Evaluate limits_of_elements() const;
  /// How the candidate computed node `n`, whose segment this is, if it adds like this.
  /// `operands`: the dtype that its operands are stored in, where they have less than the graph's.
  bounds::Manner manner_of(std::size_t n, const core::Segment& segment, const std::vector<ir::Sum>& sums,
                           std::optional<ir::DType> operands) const;
};

/// All that judging one node by itself looks at. It is made of a case whose values nobody changes any more, so that any
/// thread may look, and must not outlive it.
struct NodeView {
  const Rules& rules;
  const CaseState& state;
  std::size_t n = 0;
  std::vector<cases::NodeOutput> described = {};  ///< its outputs, and how the candidate computed them
  std::vector<ir::TensorView> inputs = {};        ///< the feeds of its segment, as the candidate had them
  std::vector<const ir::Tensor*> outputs = {};    ///< tensors that the candidate gave; null where it shows none

  const ir::Node& node() const { return rules.graph().nodes()[n]; }
  const core::Segment& segment() const { return state.node(n).segment; }
  const judges::ExtraJudges* extra_judges() const { return rules.options.extra_judges.get(); }
  /// Whether the node is judged with others, whose values the candidate does not show.
  bool is_group() const { return state.node(n).group() > 1; }
};

/// The coarsest float that what the node was fed is stored in, where that is narrower than the graph's; else nothing.
std::optional<ir::DType> stored_operands(const Rules& rules, const CaseState& state, std::size_t n);

NodeView view_of(const Rules& rules, const CaseState& state, std::size_t n, std::vector<cases::NodeOutput> described);

}  // namespace plumb::parity::verify
