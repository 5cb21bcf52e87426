// Collects what judging one node looks at, and says how nodes of a case are judged.
#include "parity/verify/node/node_view.hpp"

#include "parity/profile/profile_arithmetic.hpp"

namespace plumb::parity::verify {
bounds::runs::Evaluate Rules::limits_of_elements() const {
  const judges::ExtraJudges* const extra = options.extra_judges.get();
  return [extra](ir::Executor& reference, const core::Segment& segment, const ir::Feeds& fed,
                 const bounds::Manner& manner) {
    return judges::evaluate_elements(reference, segment, fed, manner, extra);
  };
}

bounds::Manner Rules::manner_of(std::size_t n, const core::Segment& segment, const std::vector<ir::Sum>& sums,
                                std::optional<ir::DType> operands) const {
  bounds::Manner manner{profile::arithmetic_of(executors, sums, segment.graph, operands),
                        may_flush && !must_be_exact(n)};
  manner.arithmetic.deviations = deviations;
  return manner;
}

std::optional<ir::DType> stored_operands(const Rules& rules, const CaseState& state, std::size_t n) {
  std::optional<ir::DType> coarsest;
  for (const ir::Value v : state.node(n).segment.fed) {
    const ir::DType dtype = state.dtype_of(v);
    if (dtype == rules.graph().type(v).dtype) continue;
    if (!coarsest || ir::unit_roundoff(dtype) > ir::unit_roundoff(*coarsest)) coarsest = dtype;
  }
  return coarsest;
}

NodeView view_of(const Rules& rules, const CaseState& state, std::size_t n, std::vector<cases::NodeOutput> described) {
  NodeView view{.rules = rules, .state = state, .n = n, .described = std::move(described)};
  for (const ir::Value v : view.segment().fed) view.inputs.push_back(state.got(v));
  for (const ir::Value v : view.node().outputs)
    view.outputs.push_back(state.is_captured(v) ? &state.given(v) : nullptr);
  return view;
}

}  // namespace plumb::parity::verify
