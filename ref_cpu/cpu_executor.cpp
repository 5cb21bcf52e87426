#include "ref_cpu/cpu_executor.hpp"

#include <chrono>

#include "ref_cpu/kernel.hpp"
#include "ref_cpu/op_table.hpp"
#include "ref_cpu/parallel.hpp"

namespace plumb::ref_cpu {
namespace {

using Kernel = void (*)(const ir::Op&, Call&);

const ir::OpTable<Kernel>& kernels() {
  static const auto table = Ops::table<Kernel>([]<class T>() -> Kernel {
    return [](const ir::Op& op, Call& call) { run(op.as<T>(), call); };
  });
  return table;
}

/// A graph with its kernels resolved and a place in memory for every value.
class CpuExecutable final : public ir::Executable {
 public:
  CpuExecutable(const ir::Graph& graph, const ir::Feeds& params, const ir::Capture& capture, CpuOptions options);

  ir::Tensors run(const ir::Feeds& inputs) override;
  std::vector<ir::NodeReport> nodes() const override { return reports_; }

 private:
  struct Step {
    Kernel kernel;
    Call call;
  };

  void run_steps();

  ir::Graph graph_;
  CpuOptions options_;
  std::vector<ir::Tensor> tensors_;  ///< by value
  std::vector<ir::Value> wanted_;
  std::vector<Step> steps_;  ///< by node
  std::vector<ir::NodeReport> reports_;
};

CpuExecutable::CpuExecutable(const ir::Graph& graph, const ir::Feeds& params, const ir::Capture& capture,
                             CpuOptions options)
    : graph_(graph), options_(options), tensors_(graph.value_count()), wanted_(capture.wanted) {
  ir::require_valid(graph_);
  for (ir::Value v = 0; v < tensors_.size(); ++v) {
    if (!graph_.defined(v)) continue;
    const bool is_param = graph_.is_source(v) && v >= graph_.inputs().size();
    tensors_[v] = is_param ? ir::fed(graph_, params, v) : ir::Tensor(graph_.type(v));
    if (capture.surviving) wanted_.push_back(v);
  }
  for (const ir::Node& node : graph_.nodes()) {
    const auto kernel = kernels().find(&node.op.schema());
    if (kernel == kernels().end())
      throw ir::Unsupported(ir::cat("ref_cpu: node '", node.label, "' (", node.op.name(), "): has no kernel"));
    Step step{kernel->second, {}};
    for (const ir::Value v : node.inputs) step.call.inputs.push_back(std::as_const(tensors_[v]).view());
    for (const ir::Value v : node.outputs) step.call.outputs.push_back(tensors_[v].view());
    if (std::ranges::all_of(step.call.outputs, [](const ir::MutableView& y) { return y.bytes().empty(); }))
      step.kernel = [](const ir::Op&, Call&) {};
    steps_.push_back(std::move(step));
    reports_.push_back({ir::Placement::cpu, "ref_cpu", "", std::nullopt});
  }
}

void CpuExecutable::run_steps() {
  using Clock = std::chrono::steady_clock;
  for (std::size_t n = 0; n < steps_.size(); ++n) {
    const ir::Node& node = graph_.nodes()[n];
    const auto start = Clock::now();
    try {
      steps_[n].kernel(node.op, steps_[n].call);
    } catch (const ir::Error& error) {  // an index out of range, say
      ir::fail("node '", node.label, "' (", node.op.name(), "): ", error.what());
    }
    const auto spent = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start);
    reports_[n].nanoseconds = static_cast<std::uint64_t>(spent.count());
  }
}

ir::Tensors CpuExecutable::run(const ir::Feeds& inputs) {
  for (ir::Value v = 0; v < graph_.inputs().size(); ++v)
    std::ranges::copy(ir::fed(graph_, inputs, v).bytes(), tensors_[v].bytes().begin());
  with_threads(options_.threads, [this] { run_steps(); });
  ir::Tensors results;
  for (const ir::Value v : wanted_) results.emplace(v, tensors_.at(v));
  return results;
}

}  // namespace

bool CpuExecutor::has_kernel(const ir::OpSchema& schema) const { return kernels().contains(&schema); }

std::unique_ptr<ir::Executable> CpuExecutor::compile(const ir::Graph& graph, const ir::Feeds& params,
                                                     const ir::Capture& capture) {
  return std::make_unique<CpuExecutable>(graph, params, capture, options_);
}

}  // namespace plumb::ref_cpu
