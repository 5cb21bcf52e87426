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

}  // namespace plumb::parity::profile::probe
