// `plumb convert`: a model as a graph file, with larger tensors in a file of weights beside it; those of GGUF files
// stay where they are.

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "ir/files/path_below.hpp"
#include "ir/formats/tensor_files.hpp"
#include "parity/cli/command.hpp"
#include "parity/cli/flags/given_tensors.hpp"
#include "parity/cli/flags/model_files.hpp"
#include "parity/cli/flags/output_flags.hpp"
#include "parity/cli/show/graph_text.hpp"
#include "parity/core/terminal/table.hpp"

namespace plumb::parity::cli {
namespace {

struct ConvertFlags {
  std::string path, output, weights;
  bool force = false;
  flags::ModelFlags model;
};

/// Names the files that sources are read from as the graph in its new folder does. Throws Error where they are not
/// below that, as no reader would follow such a name.
void name_from(const std::filesystem::path& output, ir::formats::GraphFile& file) {
  namespace fs = std::filesystem;
  const fs::path from = fs::weakly_canonical(fs::absolute(file.directory.empty() ? "." : file.directory));
  const fs::path to = fs::weakly_canonical(fs::absolute(output)).parent_path();
  if (from == to) return;
  for (auto& [name, source] : file.sources) {
    auto* const external = std::get_if<ir::formats::External>(&source);
    if (external == nullptr) continue;
    const fs::path read = from / external->file;
    const std::string relative = read.lexically_relative(to).string();
    ir::require(ir::files::stays_below(relative), output.string(), ": '", name, "' is read from ", read.string(),
                ", which is not below the folder of the graph");
    external->file = relative;
  }
}

int run_convert(const ConvertFlags& flags) {
  namespace fs = std::filesystem;
  const fs::path output = flags.output;
  const fs::path weights = flags.weights.empty() ? fs::path(output).replace_extension(".npz") : fs::path(flags.weights);
  ir::formats::GraphFile file = flags::read_fed(flags.path, flags.model);
  const auto read = flags::files_read(file);
  name_from(output, file);
  const auto relative = fs::absolute(weights).lexically_normal().lexically_relative(
      fs::absolute(output).lexically_normal().parent_path());
  flags::Outputs outputs{.force = flags.force, .inputs = read};
  outputs.inputs.emplace_back(flags.path);
  if (!flags.model.load_inputs.empty()) outputs.inputs.emplace_back(flags.model.load_inputs);
  const auto graph = outputs.open(output.string(), ir::files::FileKind::graph);
  flags::require_no_record(weights.string(), flags.force);
  const auto taken = show::taken_out(file, relative.string());
  const std::string text = ir::formats::write_graph(file);
  if (!taken.empty()) {
    const auto tensors = outputs.open_tensors(weights.string());
    ir::formats::save_tensors(*tensors, taken);
    std::cout << "wrote " << core::terminal::counted(taken.size(), "tensor") << " to " << weights.string() << '\n';
  }
  flags::write_whole(graph, text);
  std::cout << "wrote " << core::terminal::counted(file.graph.nodes().size(), "node") << " to " << output.string()
            << '\n';
  return 0;
}

}  // namespace

Action convert(CLI::App& app) {
  const auto flags = std::make_shared<ConvertFlags>();
  app.add_option("model", flags->path, "a model (.onnx, .gguf), or a graph file")->required();
  flags::add_output(app, "output", flags->output, "the graph file to write (.json)")->required();
  flags::add_output(app, "--weights", flags->weights,
                    "write its larger tensors here (.npz or .h5); the default is beside the graph");
  flags::add_force_flag(app, flags->force);
  flags::add_model_flags(app, flags->model);
  return [flags] { return run_convert(*flags); };
}

}  // namespace plumb::parity::cli
