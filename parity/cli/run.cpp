// `plumb run`: one graph on one executor, with inputs in and results out.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "gpu_vulkan/vulkan_executor.hpp"
#include "ir/formats/result_names.hpp"
#include "ir/formats/tensor_files.hpp"
#include "parity/cli/command.hpp"
#include "parity/cli/flags/device_flags.hpp"
#include "parity/cli/flags/graph_flags.hpp"
#include "parity/cli/flags/output_flags.hpp"
#include "parity/cli/flags/validators.hpp"
#include "parity/cli/show/print.hpp"
#include "ref_cpu/cpu_executor.hpp"

namespace plumb::parity::cli {
namespace {

struct RunFlags {
  std::string path, on = "gpu", output;
  bool force = false;
  flags::GraphFlags graph;
  flags::DeviceFlags device;
};

std::unique_ptr<ir::Executor> executor(const RunFlags& flags) {
  if (flags.on == "cpu")
    return std::make_unique<ref_cpu::CpuExecutor>(ref_cpu::CpuOptions{.threads = flags.device.threads});
  return std::make_unique<gpu_vulkan::VulkanExecutor>(flags::vulkan_options(flags.device));
}

void print_result(const std::string& name, const ir::Tensor& tensor) {
  std::string text = fmt::format("{}: {} [", name, ir::cat(tensor.type()));
  constexpr std::int64_t shown = 6;
  const ir::Tensor wide = ir::is_complex(tensor.dtype()) ? ir::Tensor() : ir::convert(tensor, ir::DType::f64);
  for (std::int64_t i = 0; i < std::min(shown, wide.elements()); ++i)
    text += fmt::format("{}{:.6g}", i != 0 ? ", " : "", wide.as<double>()[static_cast<std::size_t>(i)]);
  show::print("{}{}]\n", text, tensor.elements() > shown ? ", ..." : "");
}

int run_graph(const RunFlags& flags) {
  const cases::Case loaded = verify::load_case(flags.path, flags::fill_options(flags.graph));
  const ir::Graph& graph = loaded.file->graph;
  const auto output = flags::open_tensors(flags.output, flags.force, flags.path, *loaded.file, flags.graph);
  const auto made = executor(flags);
  const auto results = made->run(graph, loaded.feeds, graph.results());
  ir::formats::NamedTensors named;
  for (std::size_t k = 0; k < graph.results().size(); ++k)
    named.insert_or_assign(ir::formats::result_name(graph, k), results.at(graph.results()[k]));
  for (const auto& [name, tensor] : named) print_result(name, tensor);
  if (!output) return 0;
  ir::formats::save_tensors(*output, named);
  std::cerr << "wrote " << flags.output << '\n';
  return 0;
}

}  // namespace

Action run(CLI::App& app) {
  const auto flags = std::make_shared<RunFlags>();
  app.add_option("graph", flags->path, "graph file (plumb.graph/1, ONNX)")->required();
  app.add_option("--on", flags->on, "the executor to run on")
      ->check(flags::one_of({"cpu", "gpu"}))
      ->capture_default_str();
  flags::add_output(app, "-o,--output", flags->output, "write the results to this .npz or .h5");
  flags::add_force_flag(app, flags->force);
  flags::add_graph_flags(app, flags->graph);
  flags::add_precision_flag(app, flags->graph);
  flags::add_device_flags(app, flags->device);
  return [flags] { return run_graph(*flags); };
}

}  // namespace plumb::parity::cli
