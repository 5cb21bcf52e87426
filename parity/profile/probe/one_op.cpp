// Runs one op on the probed executor; nothing where it falls back to the host or is not supported.
#include "parity/profile/probe/one_op.hpp"

namespace plumb::parity::profile::probe {

std::optional<ir::Tensor> run_on_device(ir::Executor& executor, bool is_host, const ir::Op& op,
                                        const std::vector<ir::Tensor>& operands) try {
  ir::OpRun made = ir::run_op_with_report(executor, op, operands);
  if (!is_host && made.report.placement == ir::Placement::cpu) return std::nullopt;
  return std::move(made.outputs.at(0));
} catch (const ir::Unsupported&) {
  return std::nullopt;
}

core::Trial trial_of(const ir::Op& op, std::vector<ir::Tensor> operands) {
  ir::TensorTypes types;
  for (const ir::Tensor& operand : operands) types.push_back(operand.type());
  core::Trial trial{.graph = ir::graph_of(op, types), .feeds = {}};
  for (std::size_t i = 0; i < operands.size(); ++i)
    trial.feeds.emplace(trial.graph.inputs()[i], std::move(operands[i]));
  return trial;
}

std::optional<ir::Tensor> output_of(core::TrialEnd& end, bool is_host) {
  if (end.refused || (!is_host && end.nodes.at(0).placement == ir::Placement::cpu)) return std::nullopt;
  return std::move(end.values.begin()->second);
}

}  // namespace plumb::parity::profile::probe
