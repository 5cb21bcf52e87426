#pragma once

#include <optional>
#include <vector>

#include "parity/core/trial.hpp"

namespace plumb::parity::profile::probe {

/// The output of one op on these operands; nothing when the executor cannot run it, or
/// only on the host in place of the device.
std::optional<ir::Tensor> run_on_device(ir::Executor& executor, bool is_host, const ir::Op& op,
                                        const std::vector<ir::Tensor>& operands);

/// One op on these operands as a trial, and the output of one; nothing as above.
core::Trial trial_of(const ir::Op& op, std::vector<ir::Tensor> operands);
std::optional<ir::Tensor> output_of(core::TrialEnd& end, bool is_host);

}  // namespace plumb::parity::profile::probe
