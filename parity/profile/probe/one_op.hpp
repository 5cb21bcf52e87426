#pragma once

#include <optional>
#include <vector>

#include "ir/executor.hpp"

namespace plumb::parity::profile::probe {

/// The output of one op on these operands; nothing when the executor cannot run it, or
/// only on the host in place of the device.
std::optional<ir::Tensor> run_on_device(ir::Executor& executor, bool is_host, const ir::Op& op,
                                        const std::vector<ir::Tensor>& operands);

}  // namespace plumb::parity::profile::probe
