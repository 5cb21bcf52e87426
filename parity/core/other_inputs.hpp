#pragma once

#include <optional>

#include "ir/executor.hpp"

namespace plumb::parity::core {

/// Other inputs of the same kind (ir::make_other). Params among the feeds stay as they are.
ir::Feeds turned(const ir::Graph& graph, ir::Feeds feeds);

/// The results of a run; nothing where the inputs are refused, as an index out of range is. Throws DeviceError.
std::optional<ir::Tensors> run_unless_refused(ir::Executable& executable, const ir::Feeds& inputs);

}  // namespace plumb::parity::core
