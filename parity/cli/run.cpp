// `plumb run`: one graph on one executor, with inputs in and results out.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <memory>

#include "ir/formats/result_names.hpp"
#include "ir/formats/tensor_files.hpp"
#include "parity/cli/command.hpp"
#include "parity/cli/decoding/decoded_results.hpp"
#include "parity/cli/flags/chosen_executor.hpp"
#include "parity/cli/flags/device_flags.hpp"
#include "parity/cli/flags/graph_flags.hpp"
#include "parity/cli/flags/output_flags.hpp"
#include "parity/cli/flags/validators.hpp"
#include "parity/cli/show/about_tensors.hpp"
#include "parity/cli/show/print.hpp"

namespace plumb::parity::cli {
namespace {

struct RunFlags {
  std::string path, on = "gpu", output, save_inputs;
  bool force = false;
  flags::GraphFlags graph;
  flags::DeviceFlags device;
  flags::CandidateFlags candidate;
};

/// The results of a graph by the file's names, and what an HDF5 file says of them, where one is written.
struct Results {
  ir::formats::NamedTensors named;
  std::string about;
};

Results results_of(const flags::ChosenExecutor& on, const cases::Case& loaded, bool has_room) {
  const ir::Graph& graph = loaded.file->graph;
  on.begins(loaded);
  const auto compiled = on.executor->compile(graph, loaded.feeds, {graph.results()});
  const ir::Tensors tensors = compiled->run(loaded.feeds);
  Results results;
  for (std::size_t k = 0; k < graph.results().size(); ++k)
    results.named.insert_or_assign(ir::formats::result_name(graph, k), tensors.at(graph.results()[k]));
  if (!has_room) return results;
  const auto nodes = compiled->nodes();
  ir::formats::DumpDescription about(graph);
  for (std::size_t k = 0; k < graph.results().size(); ++k)
    about.add(ir::formats::result_name(graph, k), graph.results()[k], on.name, on.has_kernels() ? &nodes : nullptr);
  results.about = show::about_tensors(about, loaded, on, "plain");
  return results;
}

/// Those of a prompt and the steps behind it. A file of them has nothing to say of kernels, since two graphs ran.
Results decoded_results(const flags::ChosenExecutor& on, const cases::Case& loaded, const verify::FillOptions& fill,
                        const RunFlags& flags) {
  on.begins(loaded);
  const cases::Case step = verify::load_case(flags.path, flags::step_options(flags.graph, fill));
  DecodedResults decoded = decode_case(*on.executor, loaded, step.file->graph, flags.graph.model.gguf.decode);
  show::print("{}\n", decoded.how);
  return {.named = std::move(decoded.named), .about = {}};
}

void print_result(const std::string& name, const ir::Tensor& tensor) {
  std::string text = fmt::format("{}: {} [", name, ir::cat(tensor.type()));
  constexpr std::int64_t shown = 6;
  const ir::Tensor wide = ir::is_complex(tensor.dtype()) ? ir::Tensor() : ir::convert(tensor, ir::DType::f64);
  for (std::int64_t i = 0; i < std::min(shown, wide.elements()); ++i)
    text += fmt::format("{}{:.6g}", i != 0 ? ", " : "", wide.as<double>()[static_cast<std::size_t>(i)]);
  show::print("{}{}]\n", text, tensor.elements() > shown ? ", ..." : "");
}

/// The inputs that a run was fed, by the names that --load-inputs takes; params come from the model's own file.
ir::formats::NamedTensors inputs_of(const cases::Case& loaded) {
  const ir::Graph& graph = loaded.file->graph;
  ir::formats::NamedTensors inputs;
  for (const std::string& name : graph.inputs()) inputs.insert_or_assign(name, loaded.feeds.at(name));
  return inputs;
}

void require_other_file(const RunFlags& flags) {
  if (flags.output.empty() || flags.save_inputs.empty()) return;
  const auto whole = [](const std::string& path) { return std::filesystem::weakly_canonical(path); };
  ir::require(whole(flags.output) != whole(flags.save_inputs), "--output and --save-inputs are the same file, ",
              flags.output);
}

int run_graph(const RunFlags& flags) {
  require_other_file(flags);
  const verify::FillOptions fill = flags::fill_options(flags.graph, flags.candidate);
  const cases::Case loaded = verify::load_case(flags.path, fill);
  const ir::Graph& graph = loaded.file->graph;
  const auto output = flags::open_tensors(flags.output, flags.force, flags.path, *loaded.file, flags.graph);
  const auto inputs = flags::open_tensors(flags.save_inputs, flags.force, flags.path, *loaded.file, flags.graph);
  ir::require(!inputs || !graph.inputs().empty(), flags.path,
              ": has no inputs, so that --save-inputs has none to save");
  // A .npz of results has them alone: others read it, too.
  const bool has_room = output && ir::formats::kind_of_tensors(flags.output) == ir::files::FileKind::hdf5;
  const flags::ChosenExecutor on = flags::open_chosen(flags.on, flags.candidate, flags.device);
  const bool decodes = flags.graph.model.gguf.decode > 0;
  const Results results = decodes ? decoded_results(on, loaded, fill, flags) : results_of(on, loaded, has_room);
  for (const auto& [name, tensor] : results.named) print_result(name, tensor);
  if (inputs) {
    ir::formats::save_tensors(*inputs, inputs_of(loaded));
    std::cerr << "wrote " << flags.save_inputs << '\n';
  }
  if (!output) return 0;
  ir::formats::save_tensors(*output, results.named, results.about);
  std::cerr << "wrote " << flags.output << '\n';
  return 0;
}

}  // namespace

Action run(CLI::App& app) {
  const auto flags = std::make_shared<RunFlags>();
  app.add_option("graph", flags->path, "graph file (plumb.graph/1, ONNX)")->required();
  auto* const on = app.add_option("--on", flags->on, "the executor to run on")
                       ->check(flags::one_of({"cpu", "gpu"}))
                       ->capture_default_str();
  flags::add_chosen_executor_flags(app, flags->candidate, on);
  flags::add_output(app, "-o,--output", flags->output, "write the results to this .npz or .h5");
  flags::add_output(app, "--save-inputs", flags->save_inputs,
                    "write the inputs that the run used to this .npz or .h5, as --load-inputs takes them");
  flags::add_force_flag(app, flags->force);
  flags::add_graph_flags(app, flags->graph);
  flags::add_decode_flags(app, flags->graph.model.gguf);
  flags::add_precision_flag(app, flags->graph);
  flags::add_device_flags(app, flags->device);
  return [flags] { return run_graph(*flags); };
}

}  // namespace plumb::parity::cli
