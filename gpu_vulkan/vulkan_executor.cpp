// The Vulkan executor: fuses, plans, self-tests cooperative matrices, and compiles graphs for one device.
#include "gpu_vulkan/vulkan_executor.hpp"

#include <algorithm>

#include "gpu_vulkan/cache/calibration_file.hpp"
#include "gpu_vulkan/plan/consistency.hpp"
#include "gpu_vulkan/plan/layout.hpp"
#include "gpu_vulkan/run/executable.hpp"
#include "gpu_vulkan/runtime/driver/physical_device.hpp"
#include "gpu_vulkan/self_test/self_test.hpp"
#include "ir/raw/float_environment.hpp"

namespace plumb::gpu_vulkan {

namespace {

/// A driver's threads, of which a software driver computes with some, compute as the thread does that starts them.
std::shared_ptr<runtime::Runtime> open_device(const device::VulkanOptions& options) {
  const ir::raw::FloatEnvironment own;
  return std::make_shared<runtime::Runtime>(options);
}

}  // namespace

std::vector<device::DeviceReport> list_devices() {
  const ir::raw::FloatEnvironment own;
  const runtime::driver::Instance instance(false);
  std::vector<device::DeviceReport> reports;
  for (auto& device : runtime::driver::physical_devices(instance)) reports.push_back(std::move(device.report));
  return reports;
}

VulkanExecutor::VulkanExecutor(device::VulkanOptions options)
    : options_(std::move(options)),
      runtime_(open_device(options_)),
      calibration_(cache::load_calibration(options_.calibration, facts())) {
  ir::require(options_.fallback == device::Fallback::forbid || options_.host != nullptr,
              "fallback is allowed, but there is no host executor to fall back on");
  if (const std::string why = self_test::kept_doubt(facts(), options_.pipeline_cache); !why.empty())
    doubt_cooperative_matrices(why);
  runtime_->instance.throw_new_messages();
}

VulkanExecutor::~VulkanExecutor() = default;

bool VulkanExecutor::has_kernel(const ir::OpSchema& schema) const { return plan::has_kernel(schema); }

passes::Fused VulkanExecutor::fused(const ir::Graph& graph, const ir::Capture& capture, const ir::Feeds& params) const {
  if (!options_.fuse) return passes::unfused(graph, capture);
  return passes::fuse(graph, capture, params, facts(), {options_.regions, options_.pipeline_cache});
}

plan::Plan VulkanExecutor::plan(const ir::Graph& graph, const ir::Capture& capture) const {
  return plan(graph, capture, options_.alternative);
}

plan::Plan VulkanExecutor::plan(const ir::Graph& graph, const ir::Capture& capture, std::int64_t alternative) const {
  plan::PlanOptions by = plan_options();
  by.alternative = static_cast<std::size_t>(alternative);
  return plan::make_plan(graph, capture, facts(), by);
}

plan::PlanOptions VulkanExecutor::plan_options() const {
  const std::scoped_lock held(doubting_);
  return {.host = options_.fallback == device::Fallback::allow ? options_.host.get() : nullptr,
          .redzone = options_.redzone,
          .no_reuse = options_.no_reuse,
          .full_barriers = options_.full_barriers,
          .in_place = options_.in_place,
          .tile = options_.tile,
          .calibration = calibration_,
          .cooperative = options_.cooperative,
          .cooperative_doubt = cooperative_doubt_,
          .without = options_.without};
}

ir::Tensor VulkanExecutor::run_alone(const ir::Graph& graph, const ir::Feeds& feeds, const std::string& tile) const {
  plan::PlanOptions by_tile = plan_options();
  by_tile.tile = tile;
  const ir::Capture capture{graph.results()};
  run::VulkanExecutable executable(
      std::make_shared<run::Program>(runtime_, options_, graph, ir::Feeds{}, passes::unfused(graph, capture),
                                     plan::make_plan(graph, capture, facts(), by_tile), run::HeldSlots{}));
  return executable.run(feeds).at(graph.results()[0]);
}

bool VulkanExecutor::cooperative_matrices_fail(const plan::Plan& plan, const ir::Graph& graph) {
  if (!options_.self_test) return false;
  self_test::CooperativeKernels kernels = self_test::cooperative_kernels(plan);
  std::erase_if(kernels, [&](const auto& kernel) { return runtime_->right_kernels.contains(kernel); });
  if (kernels.empty()) return false;
  const auto run = [&](const auto&... what) { return run_alone(what...); };
  const std::string wrong = self_test::self_test_once(facts(), plan_options(), options_.pipeline_cache, run, kernels);
  if (wrong.empty()) {
    runtime_->right_kernels.merge(kernels);
    return false;
  }
  const auto& all = plan.schedule.dispatches;
  const auto first = std::ranges::find_if(all, [](const auto& dispatch) { return bool(dispatch.shader.cooperative); });
  doubt_cooperative_matrices(wrong, ir::cat("; the first to need them is ",
                                            plan::name_of(plan, graph, static_cast<std::size_t>(first - all.begin()))));
  return true;
}

void VulkanExecutor::doubt_cooperative_matrices(const std::string& why, const std::string& where) {
  {
    const std::scoped_lock held(doubting_);
    cooperative_doubt_ = why;
  }
  if (options_.on_doubt)
    options_.on_doubt(
        ir::cat(facts().name, "'s cooperative matrices failed their self-test and are not used: ", why, where));
}

GraphOptions VulkanExecutor::graph_options() const {
  return {.tile = options_.tile,
          .staging = options_.staging,
          .timestamps = options_.timestamps,
          .alternative = options_.alternative};
}

std::unique_ptr<ir::Executable> VulkanExecutor::compile(const ir::Graph& graph, const ir::Feeds& params,
                                                        const ir::Capture& capture) {
  return compile(graph, params, capture, graph_options());
}

std::unique_ptr<ir::Executable> VulkanExecutor::compile(const ir::Graph& graph, const ir::Feeds& params,
                                                        const ir::Capture& capture, const GraphOptions& options) {
  const std::scoped_lock turn(compiling_);
  const ir::raw::FloatEnvironment own;
  return ir::compile_to_dump(
      device::dump_options(options_), "gpu", graph, capture,
      [&](const ir::Capture& by) { return executable(program(graph, params, params, by, options, nullptr)); });
}

std::unique_ptr<ir::Executable> VulkanExecutor::executable(std::shared_ptr<const run::Program> program) const {
  auto made = std::make_unique<run::VulkanExecutable>(std::move(program));
  runtime_->instance.throw_new_messages();
  return made;
}

std::unique_ptr<ir::Executable> VulkanExecutor::compile_held(const ir::Graph& graph, std::shared_ptr<ir::Params> params,
                                                             const ir::CompileOptions& options) {
  return compile_held(graph, std::move(params), options, graph_options());
}

std::unique_ptr<ir::Executable> VulkanExecutor::compile_held(const ir::Graph& graph, std::shared_ptr<ir::Params> params,
                                                             const ir::CompileOptions& options,
                                                             const GraphOptions& by) {
  const std::scoped_lock turn(compiling_);
  const ir::raw::FloatEnvironment own;
  const auto held = std::dynamic_pointer_cast<run::DeviceParams>(params);
  ir::require(held != nullptr && held->runtime() == runtime_.get(), "the params are not held by this executor");
  const ir::ParamNames replaceable = ir::replaceable_params(graph, options);
  ir::Feeds others;
  for (const auto& [name, tensor] : held->feeds())
    if (!replaceable.empty() && !replaceable.contains(name)) others.emplace(name, tensor);
  const ir::Feeds& folded = replaceable.empty() ? held->feeds() : others;
  const auto compile = [&](const ir::Capture& capture) {
    auto made = program(graph, held->feeds(), folded, capture, by, held.get());
    made->require_replaceable(replaceable);
    held->keep_for(made, graph, replaceable);
    return executable(std::move(made));
  };
  return ir::compile_to_dump(device::dump_options(options_), "gpu", graph, options.capture, compile);
}

ir::Buffer VulkanExecutor::allocate(const ir::TensorType& type) {
  ir::check_type(type);
  return {
      std::make_shared<run::DeviceMemory>(runtime_, type.bytes(), options_.staging, runtime::driver::Holder::buffers),
      type};
}

ir::Buffer VulkanExecutor::import(ir::MutableView memory, std::shared_ptr<void> owner, ir::Import how) {
  const ir::TensorType& type = memory.type();
  if (memory.bytes().empty()) return allocate(type);
  try {  // `owner` is needed behind a refusal, too
    return {std::make_shared<run::DeviceMemory>(runtime_, memory.bytes(), owner), type};
  } catch (const ir::Unsupported& error) {
    if (how == ir::Import::require)
      throw ir::Unsupported(ir::cat("memory of ", type, " is not imported: ", error.what()));
  }
  ir::Buffer buffer = allocate(type);
  buffer.write({type, memory.bytes()});
  return buffer;
}

std::shared_ptr<ir::Params> VulkanExecutor::hold(const ir::Feeds& params) {
  return std::make_shared<run::DeviceParams>(runtime_, params, options_.staging);
}

namespace {

/// Params that the plan reads as they are held lie apart there.
run::HeldSlots hold_apart(plan::Plan& plan, const ir::Graph& graph, const device::DeviceFacts& facts,
                          const device::VulkanOptions& options, const run::DeviceParams* params) {
  run::HeldSlots held;
  if (params == nullptr || options.redzone) return held;  // zones surround what is the executable's own
  plan::LayoutOptions layout{.no_reuse = options.no_reuse, .full_barriers = options.full_barriers};
  for (ir::Value v = graph.inputs().size(); graph.is_source(v); ++v)
    if (plan.placed(plan.slot(v))) {
      held.emplace(plan.slot(v), params->memory(graph.name(v)));
      layout.apart.push_back(plan.slot(v));
    }
  plan::lay_out(plan, facts, layout);
  return held;
}

}  // namespace

std::shared_ptr<run::Program> VulkanExecutor::program(const ir::Graph& graph, const ir::Feeds& params,
                                                      const ir::Feeds& folded, const ir::Capture& capture,
                                                      const GraphOptions& options,
                                                      const run::DeviceParams* params_held) {
  ir::require_valid(graph);
  runtime_->require_alive();
  for (const ir::Value v : capture.wanted) graph.type(v);  // throws when it is none
  const auto planned = [&](const passes::Fused& whole) {
    plan::PlanOptions by = plan_options();
    by.tile = options.tile;
    by.alternative = static_cast<std::size_t>(options.alternative);
    return plan::make_plan(whole.graph, whole.capture, facts(), by);
  };
  passes::Fused whole = fused(graph, capture, folded);
  plan::Plan made = planned(whole);
  if (cooperative_matrices_fail(made, whole.graph)) {
    whole = fused(graph, capture, folded);
    made = planned(whole);
  }
  run::HeldSlots held = hold_apart(made, whole.graph, facts(), options_, params_held);
  if (options_.on_plan) options_.on_plan(made);
  plan::require_consistent(made, whole.graph, facts());
  device::VulkanOptions of_run = options_;
  of_run.staging = options.staging;
  of_run.timestamps = options.timestamps;
  of_run.poison_bools = capture.marks_bools;
  return std::make_shared<run::Program>(runtime_, of_run, graph, params, std::move(whole), std::move(made),
                                        std::move(held));
}

const device::DeviceFacts& VulkanExecutor::facts() const { return runtime_->device.facts(); }

std::vector<std::string> VulkanExecutor::validation_messages() const { return runtime_->instance.messages(); }

}  // namespace plumb::gpu_vulkan
