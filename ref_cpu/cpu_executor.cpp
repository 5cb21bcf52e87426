// The executor and its executables, whose runs are in memory of their own.
#include "ref_cpu/cpu_executor.hpp"

#include <mutex>

#include "ir/raw/copy_bytes.hpp"
#include "ref_cpu/host_context.hpp"

namespace plumb::ref_cpu {
namespace {

/// A program and the memory of its `run`, once for each thread that runs it at the same time: inputs are read where the
/// caller has them, wanted values are written where the caller gets them.
class CpuExecutable final : public ir::Executable {
 public:
  CpuExecutable(std::shared_ptr<const HostProgram> program, std::shared_ptr<HostQueue> queue);

  ir::Tensors run(const ir::Feeds& inputs) override;
  void run_into(const ir::Feeds& inputs, ir::Tensors& results) override;
  std::vector<ir::NodeReport> nodes() const override;
  std::unique_ptr<ir::Context> context() override { return std::make_unique<HostContext>(program_, queue_); }
  bool has_contexts() const override { return program_.use_count() > 1; }
  std::uint64_t bytes() const override;
  std::uint64_t identity() const override { return program_->identity(); }

 private:
  /// The memory of one run at a time.
  struct Memory {
    explicit Memory(const HostProgram& program)
        : layout(program.layout(false)), calls(program, layout), nanoseconds(program.steps().size()) {}
    HostProgram::Layout layout;
    StepCalls calls;
    HostProgram::Workspace workspace;
    std::vector<std::uint64_t> nanoseconds;  ///< by step
  };
  class Lease;

  void run_in(Memory& memory, const ir::Feeds& inputs, ir::Tensors& results);

  const std::shared_ptr<const HostProgram> program_;
  const std::shared_ptr<HostQueue> queue_;
  std::vector<ir::NodeReport> reports_;  ///< by node, before any run
  std::uint64_t bytes_of_one_ = 0;
  mutable std::mutex mutex_;  ///< guards what follows
  std::vector<std::unique_ptr<Memory>> idle_;
  std::uint64_t made_ = 0;                 ///< memories, idle or not
  std::vector<std::uint64_t> last_times_;  ///< by step; none before the first run
};

/// Memory that no other thread has, given back afterwards with the times of the run.
class CpuExecutable::Lease {
 public:
  explicit Lease(CpuExecutable& of) : of_(of) {
    {
      const std::lock_guard lock(of.mutex_);
      if (!of.idle_.empty()) {
        memory_ = std::move(of.idle_.back());
        of.idle_.pop_back();
        return;
      }
    }
    memory_ = std::make_unique<Memory>(*of.program_);
    const std::lock_guard lock(of.mutex_);
    of.idle_.reserve(of.made_ + 1);
    ++of.made_;
  }
  ~Lease() {
    const std::lock_guard lock(of_.mutex_);
    of_.idle_.push_back(std::move(memory_));
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  Memory& operator*() { return *memory_; }

 private:
  CpuExecutable& of_;
  std::unique_ptr<Memory> memory_;
};

CpuExecutable::CpuExecutable(std::shared_ptr<const HostProgram> program, std::shared_ptr<HostQueue> queue)
    : program_(std::move(program)), queue_(std::move(queue)) {
  idle_.push_back(std::make_unique<Memory>(*program_));
  made_ = 1;
  reports_ = program_->reports(idle_.front()->layout);
  bytes_of_one_ = idle_.front()->layout.bytes;
}

ir::Tensors CpuExecutable::run(const ir::Feeds& inputs) {
  ir::Tensors results;
  run_into(inputs, results);
  return results;
}

void CpuExecutable::run_into(const ir::Feeds& inputs, ir::Tensors& results) {
  Lease lease(*this);
  run_in(*lease, inputs, results);
  const std::lock_guard lock(mutex_);
  last_times_ = (*lease).nanoseconds;
}

void CpuExecutable::run_in(Memory& memory, const ir::Feeds& inputs, ir::Tensors& results) {
  const ir::Graph& graph = program_->graph();
  for (ir::Value v = 0; v < graph.inputs().size(); ++v) {
    const auto bytes = ir::fed(graph, inputs, v).bytes();
    memory.calls.place(v, {const_cast<std::byte*>(bytes.data()), bytes.size()});  // which kernels only read
  }
  std::erase_if(results, [&](const auto& one) { return !program_->wanted().contains(one.first); });
  for (const ir::Value v : program_->wanted()) {
    const auto [found, is_new] = results.try_emplace(v);
    ir::Tensor& result = found->second;
    if (result.type() != graph.type(v)) result = ir::Tensor(graph.type(v));
    if (program_->is_given(v))
      ir::raw::copy_bytes(memory.calls.place_of(v), result.bytes());
    else
      memory.calls.place(v, result.bytes());
  }
  program_->run(memory.calls, memory.workspace, memory.nanoseconds);
}

std::vector<ir::NodeReport> CpuExecutable::nodes() const {
  std::vector<ir::NodeReport> reports = reports_;
  const std::lock_guard lock(mutex_);
  for (std::size_t s = 0; s < last_times_.size(); ++s) reports[program_->steps()[s].node].nanoseconds = last_times_[s];
  return reports;
}

std::uint64_t CpuExecutable::bytes() const {
  const std::lock_guard lock(mutex_);
  return program_->bytes() + made_ * bytes_of_one_;
}

}  // namespace

CpuOptions options_from_environment() { return {.dumps = ir::dump_options_from_environment()}; }

CpuExecutor::CpuExecutor(CpuOptions options) : options_(std::move(options)), queue_(HostQueue::make()) {}

bool CpuExecutor::has_kernel(const ir::OpSchema& schema) const { return kernel_of(options_, schema) != nullptr; }

std::unique_ptr<ir::Executable> CpuExecutor::compile(const ir::Graph& graph, const ir::Feeds& params,
                                                     const ir::Capture& capture) {
  ir::Feeds own;
  for (const std::string& name : graph.params())
    if (const auto found = params.find(name); found != params.end()) own.insert(*found);
  const auto held = std::make_shared<HostParams>(std::move(own));
  return ir::compile_to_dump(options_.dumps, "cpu", graph, capture, [&](const ir::Capture& by) {
    return std::make_unique<CpuExecutable>(std::make_shared<HostProgram>(graph, held, by, options_), queue_);
  });
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
  return ir::compile_to_dump(options_.dumps, "cpu", graph, options.capture, [&](const ir::Capture& by) {
    auto program = std::make_shared<HostProgram>(graph, held, by, options_);
    held->keep_for(program, graph, replaceable);
    return std::make_unique<CpuExecutable>(std::move(program), queue_);
  });
}

}  // namespace plumb::ref_cpu
