// Contexts of programs whose run needs the host: buffers are read before it and written after it.
#include "gpu_vulkan/run/hosted_context.hpp"

namespace plumb::gpu_vulkan::run {
namespace {

/// No two values share memory.
std::vector<ir::Cell> cells_of_program(const Program& program) {
  std::vector<ir::Cell> cells;
  for (ir::Value v = 0; v < program.graph.inputs().size(); ++v)
    cells.push_back({.bytes = program.graph.type(v).bytes(), .input = v});
  for (const ir::Value v : program.plan.captured)
    if (v < program.graph.inputs().size())
      cells[v].results.push_back(v);
    else
      cells.push_back({.bytes = program.graph.type(v).bytes(), .results = {v}});
  return cells;
}

}  // namespace

HostedContext::HostedContext(std::shared_ptr<const Program> program, std::string why)
    : ResidentContext({program, &program->graph}, cells_of_program(*program), program->runtime.get()),
      program_(program),
      why_(std::move(why)),
      executable_(std::move(program)) {
  for (ir::Value v = 0; v < graph().inputs().size(); ++v)
    inputs_.emplace(graph().inputs()[v], ir::Tensor(graph().type(v)));
}

std::shared_ptr<ir::Memory> HostedContext::allocate(std::size_t bytes) {
  return std::make_shared<DeviceMemory>(program_->runtime, bytes, program_->options.staging,
                                        runtime::driver::Holder::contexts);
}

ir::Fence HostedContext::begin(const ir::Arrangement& arrangement, std::size_t, const ir::Feeds& rest) {
  return ends_.of([&] { run(arrangement, rest); });
}

void HostedContext::read(ir::Memory& memory, std::span<std::byte> bytes) {
  if (bytes.empty()) return;
  stretch_.front() = {0, 0, bytes.size()};
  memory.read(bytes, stretch_);
}

void HostedContext::write(ir::Memory& memory, std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  stretch_.front() = {0, 0, bytes.size()};
  memory.write(bytes, stretch_);
}

void HostedContext::copy(const std::vector<ir::MemoryCopy>& copies) {
  for (const ir::MemoryCopy& one : copies) {
    piece_.front() = {0, 0, one.bytes};
    one.to->copy(*one.from, piece_);
  }
}

void HostedContext::run(const ir::Arrangement& arrangement, const ir::Feeds& rest) {
  for (const ir::Value v : arrangement.uploads)
    write(*arrangement.homes[cell_of(v)], ir::fed(graph(), rest, v).bytes());
  copy(arrangement.before);
  for (ir::Value v = 0; v < graph().inputs().size(); ++v) {
    const std::span<std::byte> bytes = inputs_.find(graph().inputs()[v])->second.bytes();
    read(*arrangement.homes[cell_of(v)], bytes);
    count().down += bytes.size();
  }
  executable_.run_into(inputs_, results_);
  for (const auto& [value, tensor] : results_)
    if (value >= graph().inputs().size()) {
      write(*arrangement.homes[cell_of(value)], tensor.bytes());
      count().up += tensor.bytes().size();
    }
  copy(arrangement.after);
  copy(arrangement.last);
}

}  // namespace plumb::gpu_vulkan::run
