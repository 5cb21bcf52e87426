// `plumb plan`: fusions, kernels, tiles and memory of a graph on the device, without running it.
#include "gpu_vulkan/plan/plan.hpp"

#include <CLI/CLI.hpp>
#include <memory>

#include "gpu_vulkan/passes/fuse.hpp"
#include "gpu_vulkan/vulkan_executor.hpp"
#include "parity/cli/command.hpp"
#include "parity/cli/flags/device_flags.hpp"
#include "parity/cli/flags/graph_flags.hpp"
#include "parity/cli/flags/output_flags.hpp"
#include "parity/cli/show/print.hpp"
#include "parity/cli/show/shader_files.hpp"

namespace plumb::parity::cli {
namespace {

struct PlanFlags {
  std::string path, shaders;
  bool force = false;
  flags::GraphFlags graph;
  flags::DeviceFlags device;
};

int run_plan(const PlanFlags& flags) {
  if (!flags.shaders.empty()) cli::flags::require_free_folder("--shaders", flags.shaders, flags.force);
  const verify::FillOptions fill = cli::flags::fill_options(flags.graph);
  const bool is_of_step = flags.graph.model.gguf.decode > 0;
  const cases::Case loaded = verify::load_case(flags.path, is_of_step ? flags::step_options(flags.graph, fill) : fill);
  const ir::Graph& graph = loaded.file->graph;
  const gpu_vulkan::VulkanExecutor executor(flags::vulkan_options(flags.device));
  const auto fused = executor.fused(graph, {graph.results()}, loaded.feeds);
  const auto plan = executor.plan(fused.graph, fused.capture);
  show::print("{}on {}\n", is_of_step ? "of a step behind the prompt, " : "", executor.facts().name);
  for (const std::string& line : gpu_vulkan::passes::fusions(fused, graph)) show::print("fused: {}\n", line);
  show::print_lines(to_text(plan, fused.graph));
  if (!flags.shaders.empty())
    show::print("wrote the shaders of {} dispatches to {}\n", show::write_shaders(flags.shaders, plan, fused.graph),
                flags.shaders);
  return 0;
}

}  // namespace

Action plan(CLI::App& app) {
  const auto flags = std::make_shared<PlanFlags>();
  app.add_option("graph", flags->path, "graph file (plumb.graph/1, ONNX)")->required();
  flags::add_output(app, "--shaders", flags->shaders,
                    "write GLSL and SPIR-V of each dispatch to this folder, which is made, as files that begin with "
                    "its number and are called after its node");
  flags::add_force_flag(app, flags->force);
  flags::add_graph_flags(app, flags->graph);
  flags::add_decode_flags(app, flags->graph.model.gguf);
  flags::add_precision_flag(app, flags->graph);
  flags::add_device_flags(app, flags->device);
  return [flags] { return run_plan(*flags); };
}

}  // namespace plumb::parity::cli
