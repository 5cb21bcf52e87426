// Inputs made of those of a case, and runs on inputs that may be refused.
#include "parity/core/other_inputs.hpp"

#include <algorithm>

namespace plumb::parity::core {

ir::Feeds turned(const ir::Graph& graph, ir::Feeds feeds) {
  for (const std::string& name : graph.inputs()) {
    ir::Tensor& x = feeds.at(name);
    const std::size_t width = ir::info(x.dtype()).bytes, count = x.bytes().size() / width;
    std::rotate(x.bytes().begin(), x.bytes().begin() + static_cast<std::ptrdiff_t>(count / 2 * width), x.bytes().end());
  }
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
