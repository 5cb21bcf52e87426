// `plumb inspect`: graphs, models, results files and tensors as text, and the check of a results file's schema.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "ir/formats/tensor_files.hpp"
#include "parity/cli/command.hpp"
#include "parity/cli/flags/model_files.hpp"
#include "parity/cli/show/inspect_execution.hpp"
#include "parity/cli/show/inspect_graph.hpp"
#include "parity/results/results_file.hpp"
#include "parity/results/results_report.hpp"
#include "parity/results/results_schema.hpp"

namespace plumb::parity::cli {
namespace {

void print_tensors(const std::string& path) {
  const auto file = ir::formats::open_tensors(path);
  for (const std::string& name : file->names()) fmt::print("{}: {}\n", name, ir::cat(file->type(name)));
}

void inspect_file(const std::string& path, const flags::ModelFlags& model, bool verbose) {
  // An interrupted run leaves its record under this name.
  const std::filesystem::path given = path, name = given.extension() == ".part" ? given.stem() : given;
  const auto extension = name.extension();
  if (extension == ".json" || extension == ".onnx") {
    const ir::formats::GraphFile file = flags::model_reader(model)(path);
    show::print_graph(file, verbose);
    show::print_execution(file);
  } else if ((extension == ".h5" || extension == ".hdf5") && results::is_results_file(path)) {
    constexpr std::size_t worst = 5, every = static_cast<std::size_t>(-1);
    fmt::print("{}", results::results_report(path, verbose ? every : worst));
  } else {
    print_tensors(path);
  }
}

/// Prints every departure from the results file's schema; the exit code.
int check_results(const std::string& path) {
  const auto findings = results::check_schema(path);
  for (const std::string& finding : findings) fmt::print("{}\n", finding);
  if (!findings.empty()) return 2;
  const bool is_old = results::ResultsFile(path).version() < 2;
  fmt::print("{} keeps to {}{} {}\n", path, is_old ? "what version 1 has of " : "", results::schema_name,
             results::schema_version);
  return 0;
}

}  // namespace

Action inspect(CLI::App& app) {
  const auto path = std::make_shared<std::string>();
  const auto verbose = std::make_shared<bool>(false), check = std::make_shared<bool>(false);
  const auto model = std::make_shared<flags::ModelFlags>();
  app.add_option("file", *path, "a graph (.json), a model (.onnx), a results file (.h5) or tensors (.npz, .npy, .h5)")
      ->required();
  flags::add_model_flags(app, *model);
  app.add_flag("-v,--verbose", *verbose, "show every value and node of a graph, every node of a results file");
  app.add_flag("--check-schema", *check, "say where a results file departs from its schema");
  return [path, model, verbose, check] {
    if (*check) return check_results(*path);
    inspect_file(*path, *model, *verbose);
    return 0;
  };
}

}  // namespace plumb::parity::cli
