// `plumb dump`: tensors of chosen nodes from both executors, and their truth, as HDF5 or npz.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "gpu_vulkan/vulkan_executor.hpp"
#include "ir/formats/tensor_files.hpp"
#include "ir/passes/widen.hpp"
#include "parity/cli/command.hpp"
#include "parity/cli/flags/device_flags.hpp"
#include "parity/cli/flags/graph_flags.hpp"
#include "parity/cli/flags/output_flags.hpp"
#include "parity/cli/flags/validators.hpp"
#include "parity/core/regular_expression.hpp"
#include "parity/terminal/table.hpp"
#include "ref_cpu/cpu_executor.hpp"

namespace plumb::parity::cli {
namespace {

struct DumpFlags {
  std::string path, nodes = ".*", output = "plumb_dump.h5", from = "both";
  bool truth = false, force = false;
  flags::GraphFlags graph;
  flags::DeviceFlags device;
};

/// The values of the nodes whose label matches.
std::vector<ir::Value> chosen(const ir::Graph& graph, const std::string& pattern) {
  const core::RegularExpression expression(pattern, "--nodes");
  std::vector<ir::Value> values;
  for (const ir::Node& node : graph.nodes())
    if (expression.is_in(node.label)) values.insert(values.end(), node.outputs.begin(), node.outputs.end());
  ir::require(!values.empty(), "no node matches --nodes '", pattern, "'");
  return values;
}

ir::Feeds widened(const ir::Feeds& feeds) {
  ir::Feeds wide;
  for (const auto& [name, tensor] : feeds) wide.emplace(name, ir::passes::widen(tensor));
  return wide;
}

int dump_graph(const DumpFlags& flags) {
  const cases::Case loaded = verify::load_case(flags.path, flags::fill_options(flags.graph));
  const ir::Graph& graph = loaded.file->graph;
  const auto values = chosen(graph, flags.nodes);
  const auto output = flags::open_tensors(flags.output, flags.force, flags.path, *loaded.file, flags.graph);
  ir::formats::NamedTensors named;
  const auto take = [&](const std::string& where, ir::Executor& executor, const ir::Graph& run,
                        const ir::Feeds& feeds) {
    auto tensors = executor.run(run, feeds, values);
    for (auto& [value, tensor] : tensors) named.emplace(where + "/" + graph.name(value), std::move(tensor));
  };
  ref_cpu::CpuExecutor cpu({.threads = flags.device.threads});
  if (flags.truth) take("truth", cpu, ir::passes::widen(graph), widened(loaded.feeds));
  if (flags.from != "gpu") take("cpu", cpu, graph, loaded.feeds);
  if (flags.from != "cpu") {
    gpu_vulkan::VulkanExecutor gpu(flags::vulkan_options(flags.device));
    take("gpu", gpu, graph, loaded.feeds);
  }
  ir::formats::save_tensors(*output, named);
  std::cout << "wrote " << terminal::counted(named.size(), "tensor") << " to " << flags.output << '\n';
  return 0;
}

}  // namespace

Action dump(CLI::App& app) {
  const auto flags = std::make_shared<DumpFlags>();
  app.add_option("graph", flags->path, "graph file (plumb.graph/1, ONNX)")->required();
  app.add_option("--nodes", flags->nodes, "regular expression over node labels")->capture_default_str();
  app.add_option("--from", flags->from, "which executor's tensors to write")
      ->check(flags::one_of({"both", "cpu", "gpu"}))
      ->capture_default_str();
  app.add_flag("--truth", flags->truth, "write the f64 truth, too");
  flags::add_output(app, "-o,--output", flags->output,
                    "write to this .h5 or .npz; tensors are named cpu/NODE, gpu/NODE and truth/NODE")
      ->capture_default_str();
  flags::add_force_flag(app, flags->force);
  flags::add_graph_flags(app, flags->graph);
  flags::add_precision_flag(app, flags->graph);
  flags::add_device_flags(app, flags->device);
  return [flags] { return dump_graph(*flags); };
}

}  // namespace plumb::parity::cli
