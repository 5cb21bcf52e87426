// Calls with one tensor after the other at an edge of a device's pages.
#include "library/host/call_memory.hpp"

namespace plumb::library::host {
namespace {

struct Edge {
  bool is_at_end;
  const char *side, *where;
};
constexpr Edge edges[] = {{true, "behind ", "end"}, {false, "before ", "start"}};

/// Calls the function with one tensor at an edge, the others between guard zones.
AtEdges at_edge(const Call& call, const CallMemory& memory, std::size_t which, const Edge& edge) {
  std::vector<void*> addresses = memory.addresses();
  const bool is_operand = which < call.operands.size();
  const ir::TensorType& type =
      is_operand ? call.operands[which].tensor.type() : call.outputs[which - call.operands.size()];
  const CudaPages pages(*call.device, memory.tensors()[which].bytes(), edge.is_at_end,
                        std::max(call.align, ir::info(type.dtype).bytes));
  addresses[which] = pages.data();
  std::string said;
  try {
    call.invoke(addresses);
  } catch (const ir::Error& error) {
    said = error.what();
  }
  const std::string problem = call.device->problem_of_work();
  const std::string& name = name_of(call, which);
  // Zones around an operand have shown before what it writes there.
  if (problem == "CUDA_ERROR_ILLEGAL_ADDRESS")
    return {.misdeed = ir::cat(is_operand ? "reads " : "reads or writes ", edge.side, name), .error = ""};
  if (!problem.empty()) said = "its work on the device ended with " + problem;
  if (said.empty()) return {};
  return {.misdeed = "", .error = ir::cat(said, " (where ", name, " is at the ", edge.where, " of a page)")};
}

}  // namespace

AtEdges at_device_edges(const Call& call) {
  CallMemory memory(call, Pattern::nan);
  memory.invoke(call);  // has the operands there
  for (const Edge& edge : edges)
    for (std::size_t i = 0; i < call.operands.size() + call.outputs.size(); ++i) {
      AtEdges found = at_edge(call, memory, i, edge);
      if (!found.misdeed.empty() || !found.error.empty()) return found;
    }
  return {};
}

}  // namespace plumb::library::host
