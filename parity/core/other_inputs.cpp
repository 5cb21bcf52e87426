// Inputs made of those of a case, and runs on inputs that may be refused.
#include "parity/core/other_inputs.hpp"

#include "ir/fill.hpp"

namespace plumb::parity::core {

ir::Feeds turned(const ir::Graph& graph, ir::Feeds feeds) {
  for (const std::string& name : graph.inputs()) ir::make_other(feeds.at(name));
  return feeds;
}

std::optional<ir::Tensors> run_unless_refused(ir::Executable& executable, const ir::Feeds& inputs) try {
  return executable.run(inputs);
} catch (const ir::DeviceError&) {
  throw;
} catch (const ir::Error&) {
  return std::nullopt;
}

}  // namespace plumb::parity::core
