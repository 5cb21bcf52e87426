#include "ref_cpu/cpu_executor.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <new>
#include <set>

#include "ir/registered_op.hpp"
#include "ref_cpu/in_place.hpp"
#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernel_table.hpp"
#include "ref_cpu/memory_plan.hpp"
#include "ref_cpu/parallel.hpp"
#include "ref_cpu/registered_op.hpp"

namespace plumb::ref_cpu {
namespace {

/// Null where there is none.
ErasedKernel kernel_of(const CpuOptions& options, const ir::OpSchema& schema) {
  for (const auto* table : {&chosen_kernels().ops, &options.extra_kernels})
    if (const auto found = table->find(&schema); found != table->end()) return found->second;
  return ir::registered(schema) != nullptr ? run_registered : nullptr;
}

/// How a node's kernel adds; nothing for a kernel of somebody else's.
std::vector<ir::Sum> sums_of(const ir::Graph& graph, const ir::Node& node) {
  const auto& table = chosen_kernels().sums;
  const auto found = table.find(&node.op.schema());
  if (found == table.end() || found->second == nullptr) return {};
  ir::TensorTypes in;
  for (const ir::Value v : node.inputs) in.push_back(graph.type(v));
  return found->second(node.op, in);
}

/// A graph with its kernels resolved. Params and what follows from no input are
/// kept; inputs are read where the caller has them, wanted values are written where
/// the caller gets them, and all others share one arena by lifetime. A value that is written over in place lies where
/// the last result that is written over it does.
class CpuExecutable final : public ir::Executable {
 public:
  CpuExecutable(const ir::Graph& graph, const ir::Feeds& params, const ir::Capture& capture, CpuOptions options);

  ir::Tensors run(const ir::Feeds& inputs) override;
  std::vector<ir::NodeReport> nodes() const override { return reports_; }

 private:
  struct Step {
    std::size_t node;
    ErasedKernel kernel;
  };

  void choose_steps(bool all);
  void compute_constants();
  void find_homes();
  void plan_arena();
  void run_step(const Step& step, std::span<const ir::TensorView> values, std::span<const ir::MutableView> targets);

  ir::Graph graph_;
  CpuOptions options_;
  std::set<ir::Value> wanted_;
  std::map<ir::Value, ir::Tensor> kept_;
  struct FreeArena {
    void operator()(std::byte* data) const { ::operator delete(data, std::align_val_t(ir::AlignedBytes::alignment)); }
  };
  std::unique_ptr<std::byte[], FreeArena> arena_;  ///< not zeroed: as little as what a value before left behind
  std::vector<ir::Value> homes_;                   ///< by value, the one in whose memory it lies
  std::vector<ir::MutableView> places_;            ///< in the arena, by value
  std::vector<Step> steps_;
  std::vector<ir::NodeReport> reports_;  ///< by node
  ir::OneAtATime runs_;
};

CpuExecutable::CpuExecutable(const ir::Graph& graph, const ir::Feeds& params, const ir::Capture& capture,
                             CpuOptions options)
    : graph_(graph), options_(options), wanted_(capture.wanted.begin(), capture.wanted.end()) {
  ir::require_valid(graph_);
  for (ir::Value v = 0; v < graph_.value_count(); ++v) {
    if (!graph_.defined(v)) continue;
    if (graph_.is_source(v) && v >= graph_.inputs().size()) kept_.emplace(v, ir::fed(graph_, params, v));
    if (capture.surviving) wanted_.insert(v);
  }
  for (const ir::Value v : wanted_) ir::require(graph_.defined(v), "value ", v, " is wanted, the graph has none such");
  choose_steps(capture.surviving);
  compute_constants();
  find_homes();
  plan_arena();
}

/// The nodes that a wanted value depends on.
void CpuExecutable::choose_steps(bool all) {
  std::vector<bool> needed(graph_.value_count());
  for (const ir::Value v : wanted_) needed[v] = true;
  for (std::size_t n = graph_.nodes().size(); n-- > 0;) {
    const ir::Node& node = graph_.nodes()[n];
    const ErasedKernel kernel = kernel_of(options_, node.op.schema());
    if (kernel == nullptr)
      throw ir::Unsupported(ir::cat("ref_cpu: node '", node.label, "' (", node.op.name(), "): has no kernel"));
    const bool used = all || std::ranges::any_of(node.outputs, [&](ir::Value v) { return needed[v]; });
    reports_.push_back({ir::Placement::cpu, "ref_cpu", "", std::nullopt});
    if (!used) {
      reports_.back() = {ir::Placement::elided, "", "no wanted value depends on it", std::nullopt};
      continue;
    }
    for (const ir::Value v : node.inputs) needed[v] = true;
    const bool empty = std::ranges::all_of(node.outputs, [&](ir::Value v) { return graph_.type(v).bytes() == 0; });
    if (!empty) reports_.back().sums = sums_of(graph_, node);
    steps_.push_back({n, empty ? [](const ir::Op&, Call&) {} : kernel});
  }
  std::ranges::reverse(steps_);
  std::ranges::reverse(reports_);
}

/// Runs the nodes that have no operands once and for all.
void CpuExecutable::compute_constants() {
  std::vector<ir::MutableView> targets(graph_.value_count());
  std::erase_if(steps_, [&](const Step& step) {
    const ir::Node& node = graph_.nodes()[step.node];
    if (!node.inputs.empty()) return false;
    for (const ir::Value v : node.outputs) targets[v] = kept_.emplace(v, graph_.type(v)).first->second.view();
    run_step(step, {}, targets);
    reports_[step.node].nanoseconds.reset();
    reports_[step.node].reason = "computed when the graph was compiled";
    return true;
  });
}

void CpuExecutable::find_homes() {
  std::vector<std::size_t> nodes;
  for (const Step& step : steps_) nodes.push_back(step.node);
  homes_ = homes(graph_, nodes,
                 [&](ir::Value v) { return graph_.is_source(v) || kept_.contains(v) || wanted_.contains(v); });
  for (const std::size_t n : nodes) {
    const ir::Node& node = graph_.nodes()[n];
    const ir::Value result = node.outputs[0];
    if (!node.inputs.empty() && node.inputs[0] != homes_[node.inputs[0]] && homes_[result] == homes_[node.inputs[0]])
      reports_[n].reason = "in place";
  }
}

void CpuExecutable::plan_arena() {
  constexpr std::size_t none = SIZE_MAX;
  std::vector<Lifetime> blocks;
  std::vector<std::size_t> block_of(graph_.value_count(), none);  // by home
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    const ir::Node& node = graph_.nodes()[steps_[s].node];
    for (const ir::Value v : node.outputs) {
      std::size_t& block = block_of[homes_[v]];
      if (block != none || wanted_.contains(homes_[v])) continue;
      block = blocks.size();
      blocks.push_back({graph_.type(v).bytes(), s, s});
    }
    for (const auto* values : {&node.inputs, &node.outputs})
      for (const ir::Value v : *values)
        if (const std::size_t block = block_of[homes_[v]]; block != none) blocks[block].last = s;
  }
  const MemoryPlan plan = plan_memory(blocks);
  arena_.reset(static_cast<std::byte*>(::operator new(plan.bytes, std::align_val_t(ir::AlignedBytes::alignment))));
  const std::span arena(arena_.get(), plan.bytes);
  places_.resize(graph_.value_count());
  for (ir::Value v = 0; v < graph_.value_count(); ++v)
    if (const std::size_t block = block_of[homes_[v]]; block != none)
      places_[v] = {graph_.type(v), arena.subspan(plan.offsets[block], blocks[block].bytes)};
}

void CpuExecutable::run_step(const Step& step, std::span<const ir::TensorView> values,
                             std::span<const ir::MutableView> targets) {
  using Clock = std::chrono::steady_clock;
  const ir::Node& node = graph_.nodes()[step.node];
  Call call;
  for (const ir::Value v : node.inputs) call.inputs.push_back(values[v]);
  for (const ir::Value v : node.outputs) call.outputs.push_back(targets[v]);
  const auto start = Clock::now();
  try {
    step.kernel(node.op, call);
  } catch (const ir::Error& error) {  // an index out of range, say
    ir::fail("node '", node.label, "' (", node.op.name(), "): ", error.what());
  }
  const auto spent = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start);
  reports_[step.node].nanoseconds = static_cast<std::uint64_t>(spent.count());
}

ir::Tensors CpuExecutable::run(const ir::Feeds& inputs) {
  const ir::OneAtATime::Run run(runs_);
  std::vector<ir::TensorView> values(graph_.value_count());
  std::vector<ir::MutableView> targets = places_;
  ir::Tensors results;
  for (ir::Value v = 0; v < graph_.inputs().size(); ++v) values[v] = ir::fed(graph_, inputs, v);
  for (const auto& [v, tensor] : kept_) values[v] = tensor;
  const auto is_given = [&](ir::Value v) { return graph_.is_source(v) || kept_.contains(v); };
  for (const ir::Value v : wanted_) {
    ir::Tensor result = is_given(v) ? ir::Tensor(values[v]) : ir::Tensor(graph_.type(v));
    targets[v] = results.emplace(v, std::move(result)).first->second.view();
  }
  for (ir::Value v = 0; v < homes_.size(); ++v)
    if (homes_[v] != v && wanted_.contains(homes_[v])) targets[v] = {graph_.type(v), targets[homes_[v]].bytes()};
  for (const Step& step : steps_)
    for (const ir::Value v : graph_.nodes()[step.node].outputs) values[v] = {targets[v].type(), targets[v].bytes()};
  with_threads(options_.threads, [&] {
    for (const Step& step : steps_) run_step(step, values, targets);
  });
  return results;
}

}  // namespace

bool CpuExecutor::has_kernel(const ir::OpSchema& schema) const { return kernel_of(options_, schema) != nullptr; }

std::unique_ptr<ir::Executable> CpuExecutor::compile(const ir::Graph& graph, const ir::Feeds& params,
                                                     const ir::Capture& capture) {
  return std::make_unique<CpuExecutable>(graph, params, capture, options_);
}

}  // namespace plumb::ref_cpu
