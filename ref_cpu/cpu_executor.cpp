// The executor and its executables, whose run is in memory of their own.
#include "ref_cpu/cpu_executor.hpp"

#include "ref_cpu/host_context.hpp"

namespace plumb::ref_cpu {
namespace {

/// A program and the memory of its `run`: inputs are read where the caller has them, wanted values are written where
/// the caller gets them.
class CpuExecutable final : public ir::Executable {
 public:
  explicit CpuExecutable(std::shared_ptr<const HostProgram> program)
      : program_(std::move(program)), layout_(program_->layout(false)), reports_(program_->reports(layout_)) {}

  ir::Tensors run(const ir::Feeds& inputs) override;
  std::vector<ir::NodeReport> nodes() const override { return reports_; }
  std::unique_ptr<ir::Context> context() override { return std::make_unique<HostContext>(program_); }
  bool has_contexts() const override { return program_.use_count() > 1; }
  std::uint64_t bytes() const override { return program_->bytes() + layout_.bytes; }
  std::uint64_t identity() const override { return program_->identity(); }

 private:
  std::shared_ptr<const HostProgram> program_;
  HostProgram::Layout layout_;
  std::vector<ir::NodeReport> reports_;  ///< by node
  ir::OneAtATime runs_;
};

ir::Tensors CpuExecutable::run(const ir::Feeds& inputs) {
  const ir::OneAtATime::Run run(runs_);
  const ir::Graph& graph = program_->graph();
  std::vector<ir::TensorView> values(graph.value_count());
  std::vector<ir::MutableView> targets = layout_.places;
  ir::Tensors results;
  for (ir::Value v = 0; v < graph.inputs().size(); ++v) values[v] = ir::fed(graph, inputs, v);
  for (const auto& [v, tensor] : program_->kept()) values[v] = tensor;
  for (const ir::Value v : program_->wanted()) {
    ir::Tensor result = program_->is_given(v) ? ir::Tensor(values[v]) : ir::Tensor(graph.type(v));
    targets[v] = results.emplace(v, std::move(result)).first->second.view();
  }
  const auto& homes = layout_.homes;
  for (ir::Value v = 0; v < homes.size(); ++v)
    if (homes[v] != v && program_->wanted().contains(homes[v])) targets[v] = {graph.type(v), targets[homes[v]].bytes()};
  program_->run(std::move(values), targets, reports_);
  return results;
}

}  // namespace

bool CpuExecutor::has_kernel(const ir::OpSchema& schema) const { return kernel_of(options_, schema) != nullptr; }

std::unique_ptr<ir::Executable> CpuExecutor::compile(const ir::Graph& graph, const ir::Feeds& params,
                                                     const ir::Capture& capture) {
  ir::Feeds own;
  for (const std::string& name : graph.params())
    if (const auto found = params.find(name); found != params.end()) own.insert(*found);
  return std::make_unique<CpuExecutable>(
      std::make_shared<HostProgram>(graph, std::make_shared<HostParams>(std::move(own)), capture, options_));
}

ir::Buffer CpuExecutor::allocate(const ir::TensorType& type) {
  ir::check_type(type);
  return {std::make_shared<HostMemory>(type.bytes()), type};
}

ir::Buffer CpuExecutor::import(ir::MutableView memory, std::shared_ptr<void> owner, ir::Import how) {
  const ir::TensorType& type = memory.type();
  const std::size_t element = ir::info(type.dtype).bytes,
                    alignment = ir::is_complex(type.dtype) ? element / 2 : element;
  if (reinterpret_cast<std::uintptr_t>(memory.bytes().data()) % alignment == 0)
    return {std::make_shared<HostMemory>(memory.bytes(), std::move(owner), ""), type};
  if (how == ir::Import::require)
    throw ir::Unsupported(ir::cat("memory of ", type, " begins at no multiple of ", alignment, " bytes"));
  ir::Buffer buffer = allocate(type);
  buffer.write({type, memory.bytes()});
  return buffer;
}

std::shared_ptr<ir::Params> CpuExecutor::hold(const ir::Feeds& params) { return std::make_shared<HostParams>(params); }

std::unique_ptr<ir::Executable> CpuExecutor::compile_held(const ir::Graph& graph, std::shared_ptr<ir::Params> params,
                                                          const ir::CompileOptions& options) {
  const auto held = std::dynamic_pointer_cast<HostParams>(params);
  ir::require(held != nullptr, "the params are not held by a CPU executor");
  const ir::ParamNames replaceable = ir::replaceable_params(graph, options);
  auto program = std::make_shared<HostProgram>(graph, held, options.capture, options_);
  held->keep_for(program, graph, replaceable);
  return std::make_unique<CpuExecutable>(std::move(program));
}

}  // namespace plumb::ref_cpu
