// Resolves the kernels of a graph, plans the memory of its runs, and runs them.
#include "ref_cpu/host_program.hpp"

#include <algorithm>
#include <chrono>
#include <new>

#include "ir/raw/float_environment.hpp"
#include "ir/raw/hash.hpp"
#include "ir/raw/mappings.hpp"
#include "ir/registered_op.hpp"
#include "ref_cpu/in_place.hpp"
#include "ref_cpu/kernel.hpp"
#include "ref_cpu/kernel_table.hpp"
#include "ref_cpu/memory_plan.hpp"
#include "ref_cpu/registered_op.hpp"
#include "ref_cpu/step_calls.hpp"

namespace plumb::ref_cpu {
namespace {

/// How a node's kernel adds; nothing for a kernel of somebody else's.
std::vector<ir::Sum> sums_of(const ir::Graph& graph, const ir::Node& node) {
  const auto& table = chosen_kernels().sums;
  const auto found = table.find(&node.op.schema());
  if (found == table.end() || found->second == nullptr) return {};
  ir::TensorTypes in;
  for (const ir::Value v : node.inputs) in.push_back(graph.type(v));
  return found->second(node.op, in);
}

}  // namespace

ErasedKernel kernel_of(const CpuOptions& options, const ir::OpSchema& schema) {
  for (const auto* table : {&chosen_kernels().ops, &options.extra_kernels})
    if (const auto found = table->find(&schema); found != table->end()) return found->second;
  return ir::registered(schema) != nullptr ? run_registered : nullptr;
}

HostProgram::HostProgram(const ir::Graph& graph, std::shared_ptr<const HostParams> params, const ir::Capture& capture,
                         CpuOptions options)
    : graph_(graph),
      options_(std::move(options)),
      params_(std::move(params)),
      wanted_(capture.wanted.begin(), capture.wanted.end()) {
  const ir::raw::FloatEnvironment own;
  ir::require_valid(graph_);
  for (ir::Value v = 0; v < graph_.value_count(); ++v) {
    if (!graph_.defined(v)) continue;
    const bool is_param = graph_.is_source(v) && v >= graph_.inputs().size();
    if (is_param) kept_.emplace(v, ir::fed(graph_, params_->feeds(), v));
    if (capture.surviving && capture.is_of_interest(v) && !is_param)
      wanted_.insert(v);  // nothing computes a param, and it may be large
  }
  for (const ir::Value v : wanted_) ir::require(graph_.defined(v), "value ", v, " is wanted, the graph has none such");
  choose_steps(capture.surviving && !capture.of_interest);
  compute_constants();
}

/// The nodes that a wanted value depends on.
void HostProgram::choose_steps(bool all) {
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
void HostProgram::compute_constants() {
  std::erase_if(steps_, [&](const Step& step) {
    const ir::Node& node = graph_.nodes()[step.node];
    if (!node.inputs.empty()) return false;
    Call call;
    for (const ir::Value v : node.outputs) {
      ir::Tensor& tensor = constants_.emplace(v, graph_.type(v)).first->second;
      call.outputs.push_back(tensor.view());
      kept_.emplace(v, tensor);
    }
    run_step(step, call);
    reports_[step.node].reason = "computed when the graph was compiled";
    return true;
  });
}

bool HostProgram::lasts(ir::Value value, bool may_overwrite_inputs) const {
  const bool is_changed = may_overwrite_inputs && value < graph_.inputs().size();
  return wanted_.contains(value) || (is_given(value) && !is_changed);
}

HostProgram::Layout HostProgram::layout(bool may_overwrite_inputs) const {
  std::vector<std::size_t> nodes;
  for (const Step& step : steps_) nodes.push_back(step.node);
  Layout layout;
  layout.homes = homes(graph_, nodes, [&](ir::Value v) { return lasts(v, may_overwrite_inputs); });
  plan_arena(layout, may_overwrite_inputs);
  return layout;
}

std::vector<ir::NodeReport> HostProgram::reports(const Layout& layout) const {
  std::vector<ir::NodeReport> reports = reports_;
  for (const Step& step : steps_) {
    const ir::Node& node = graph_.nodes()[step.node];
    const ir::Value result = node.outputs[0];
    if (!node.inputs.empty() && node.inputs[0] != layout.homes[node.inputs[0]] &&
        layout.homes[result] == layout.homes[node.inputs[0]])
      reports[step.node].reason = "in place";
  }
  return reports;
}

void HostProgram::plan_arena(Layout& layout, bool may_overwrite_inputs) const {
  constexpr std::size_t none = SIZE_MAX;
  std::vector<bool> is_elsewhere(graph_.value_count());  // by home
  for (ir::Value v = 0; v < graph_.value_count(); ++v)
    if (wanted_.contains(v) || (may_overwrite_inputs && v < graph_.inputs().size()))
      is_elsewhere[layout.homes[v]] = true;
  std::vector<Lifetime> blocks;
  std::vector<std::size_t> block_of(graph_.value_count(), none);  // by home
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    const ir::Node& node = graph_.nodes()[steps_[s].node];
    for (const ir::Value v : node.outputs) {
      std::size_t& block = block_of[layout.homes[v]];
      if (block != none || is_elsewhere[layout.homes[v]]) continue;
      block = blocks.size();
      blocks.push_back({graph_.type(v).bytes(), s, s});
    }
    for (const auto* values : {&node.inputs, &node.outputs})
      for (const ir::Value v : *values)
        if (const std::size_t block = block_of[layout.homes[v]]; block != none) blocks[block].last = s;
  }
  const MemoryPlan plan = plan_memory(blocks);
  constexpr auto alignment = std::align_val_t(ir::AlignedBytes::alignment);
  layout.arena.reset(static_cast<std::byte*>(::operator new(plan.bytes, alignment)));
  layout.bytes = plan.bytes;
  const std::span arena(layout.arena.get(), plan.bytes);
  layout.places.resize(graph_.value_count());
  for (ir::Value v = 0; v < graph_.value_count(); ++v)
    if (const std::size_t block = block_of[layout.homes[v]]; block != none)
      layout.places[v] = {graph_.type(v), arena.subspan(plan.offsets[block], blocks[block].bytes)};
}

void HostProgram::run_step(const Step& step, Call& call) const {
  const ir::Node& node = graph_.nodes()[step.node];
  call.plans.begin_run();
  try {
    step.kernel(node.op, call);
  } catch (const ir::Error& error) {  // an index out of range, say
    ir::fail("node '", node.label, "' (", node.op.name(), "): ", error.what());
  }
}

void HostProgram::run(StepCalls& calls, Workspace& workspace, std::span<std::uint64_t> nanoseconds) const {
  using Clock = std::chrono::steady_clock;
  const ir::raw::FloatEnvironment own;
  const auto reading = params_->reading();
  Scratch& scratch = workspace.scratch;
  workspace.team.run(options_.threads, [&] {
    for (std::size_t s = 0; s < steps_.size(); ++s) {
      const ScratchScope scope({&scratch, &scratch.main()});
      const auto start = Clock::now();
      run_step(steps_[s], calls.by_step()[s]);
      const auto spent = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start);
      nanoseconds[s] = static_cast<std::uint64_t>(spent.count());
      for (const ir::TensorView& operand : calls.by_step()[s].inputs) ir::raw::release_after_use(operand.bytes());
    }
  });
  scratch.settle();
}

bool HostProgram::calls_back() const {
  return std::ranges::any_of(
      steps_, [&](const Step& step) { return ir::registered(graph_.nodes()[step.node].op.schema()) != nullptr; });
}

std::uint64_t HostProgram::bytes() const {
  std::uint64_t bytes = 0;
  for (const auto& [value, tensor] : constants_) bytes += tensor.bytes().size();
  if (params_.use_count() == 1)
    for (const auto& [name, tensor] : params_->feeds()) bytes += tensor.bytes().size();
  return bytes;
}

std::uint64_t HostProgram::identity() const {
  std::uint64_t identity = ir::raw::hash_bytes(std::as_bytes(std::span(chosen_level())), ir::structural_hash(graph_));
  for (const ir::Value v : wanted_) identity = ir::raw::hash_bytes(std::as_bytes(std::span(&v, 1)), identity);
  return identity;
}

}  // namespace plumb::ref_cpu
