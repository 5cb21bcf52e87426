// `plumb inspect`: graphs, models, results files and tensors as text, and the check of a results file's schema.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>

#include "ir/files/file_kind.hpp"
#include "ir/files/file_lock.hpp"
#include "ir/formats/gguf_tensors.hpp"
#include "ir/formats/tensor_files.hpp"
#include "parity/cli/command.hpp"
#include "parity/cli/flags/given_tensors.hpp"
#include "parity/cli/flags/model_files.hpp"
#include "parity/cli/flags/output_flags.hpp"
#include "parity/cli/flags/validators.hpp"
#include "parity/cli/show/graph_values.hpp"
#include "parity/cli/show/inspect_execution.hpp"
#include "parity/cli/show/inspect_gguf.hpp"
#include "parity/cli/show/inspect_graph.hpp"
#include "parity/cli/show/print.hpp"
#include "parity/core/terminal/table.hpp"
#include "parity/results/merge/digest.hpp"
#include "parity/results/results_file.hpp"
#include "parity/results/results_report.hpp"
#include "parity/results/results_schema.hpp"

namespace plumb::parity::cli {
namespace {

/// ", -1 to 2.5, 1 NaN": what the elements of a tensor come to; nothing of complex numbers, and of very large ones.
std::string extremes_of(const ir::formats::TensorFile& file, const std::string& name) {
  constexpr std::int64_t most_elements = std::int64_t{1} << 27;  // a GiB of them in f64
  const ir::TensorType type = file.type(name);
  if (ir::is_complex(type.dtype) || type.shape.elements() > most_elements) return "";
  const ir::Tensor wide = ir::convert(file.read(name), ir::DType::f64);
  double least = std::numeric_limits<double>::infinity(), most = -least;
  std::size_t nans = 0, infinities = 0;
  for (const double x : wide.as<double>()) {
    nans += std::isnan(x) ? 1 : 0;
    infinities += std::isinf(x) ? 1 : 0;
    if (std::isfinite(x)) {
      least = std::min(least, x);
      most = std::max(most, x);
    }
  }
  std::string text = least <= most ? fmt::format(", {:.6g} to {:.6g}", least, most) : "";
  if (nans > 0) text += ", " + core::terminal::counted(nans, "NaN");
  if (infinities > 0) text += fmt::format(", {} {}", infinities, infinities == 1 ? "infinity" : "infinities");
  return text;
}

void print_tensors(const std::string& path) {
  const auto file = ir::formats::open_tensors(path);
  // A results file of a version that is not known here says so, rather than what is odd about its tables.
  if (file->contains("results/nodes") && file->contains("runs")) results::ResultsFile{path};
  for (const std::string& name : file->names())
    show::print("{}: {}{}\n", name, ir::cat(file->type(name)), extremes_of(*file, name));
}

void print_graph_file(const std::string& path, const flags::ModelFlags& model, bool verbose) {
  const ir::formats::GraphFile file = flags::read_fed(path, model);
  show::print_graph(file, verbose);
  show::print_execution(file);
}

/// A file of tensors may be no model that has a template: what it is made of is shown all the same.
void print_gguf_file(const std::string& path, const flags::ModelFlags& model, bool verbose) {
  show::print_gguf(path);
  show::print("\n");
  try {
    print_graph_file(path, model, verbose);
  } catch (const ir::Unsupported& error) {
    show::print("no graph is made of it:\n{}\n", error.what());
  }
}

void inspect_file(const std::string& path, const flags::ModelFlags& model, bool verbose) {
  // An interrupted run leaves its record under this name.
  const std::filesystem::path given = path, name = given.extension() == ".part" ? given.stem() : given;
  const auto is_called = [&](std::string_view extension) { return ir::files::has_extension(name, extension); };
  const bool is_hdf5 = is_called(".h5") || is_called(".hdf5");
  ir::require(!is_hdf5 || !ir::files::is_being_written(path), path, ": is being written by another process");
  if (const auto open = flags::open_extents(path, model); !open.empty()) {
    show::print_open_model(ir::formats::read_onnx_facts(path), open);
  } else if (is_called(".json") || flags::is_onnx(name)) {
    print_graph_file(path, model, verbose);
  } else if (ir::formats::is_gguf(path)) {
    print_gguf_file(path, model, verbose);
  } else if (is_hdf5 && results::is_results_file(path)) {
    constexpr std::size_t every = static_cast<std::size_t>(-1);
    const results::Shown all{.nodes_a_run = every, .elements = every, .is_each_run_shown = true};
    core::terminal::Style style = core::terminal::style_of({}, core::terminal::surroundings_of(STDOUT_FILENO));
    if (verbose) style.width = core::terminal::unlimited;
    fmt::print("{}", results::results_report(path, verbose ? all : results::Shown(), style));
  } else {
    print_tensors(path);
  }
}

/// Prints all that is known of one node; the exit code.
int inspect_node(const std::string& path, const std::string& node, bool each) {
  core::terminal::Style style = core::terminal::style_of({}, core::terminal::surroundings_of(STDOUT_FILENO));
  fmt::print("{}", results::node_report(path, node, each, style));
  return 0;
}

/// Lists the values of a graph that another runtime is to dump; the exit code.
int list_values(const std::string& path, const flags::ModelFlags& model, const std::string& json, bool force) {
  ir::require(ir::files::has_extension(path, ".json") || flags::is_onnx(path) || ir::formats::is_gguf(path), path,
              ": --values lists those of a graph (.json) or a model (.onnx, .gguf)");
  const flags::Outputs outputs{.force = force, .inputs = {path}};
  const auto out = outputs.open(json, ir::files::FileKind::json);
  const auto open = flags::open_extents(path, model);
  std::string shapes;
  for (const std::string& one : open) shapes += " --shape " + one;
  ir::require(open.empty(), path, ": the model leaves extents open; give them, as in", shapes);
  const ir::formats::GraphFile file = flags::read_fed(path, model);
  if (out)
    flags::write_whole(out, show::values_json(file));
  else
    show::print_lines(show::values_text(file));
  return 0;
}

/// Prints every departure from the results file's schema; the exit code.
int check_results(const std::string& path) {
  const auto findings = results::check_schema(path);
  for (const std::string& finding : findings) show::print("{}\n", finding);
  if (!findings.empty()) return 2;
  const bool is_old = results::ResultsFile(path).version() < 2;
  fmt::print("{} keeps to {}{} {}\n", path, is_old ? "what version 1 has of " : "", results::schema_name,
             results::schema_version);
  return 0;
}

/// Prints a name of what a results file holds, whatever its order; the exit code.
int print_digest(const std::string& path, const std::string& of) {
  fmt::print("{}\n", results::digest_of_file(path, ir::enum_value<results::DigestOf>(of).value()));
  return 0;
}

}  // namespace

Action inspect(CLI::App& app) {
  const auto path = std::make_shared<std::string>();
  const auto verbose = std::make_shared<bool>(false), check = std::make_shared<bool>(false);
  const auto model = std::make_shared<flags::ModelFlags>();
  app.add_option(
         "file", *path,
         "a graph (.json), a model (.onnx, .gguf), a results file (.h5) or tensors (.npz, .npy, .h5, .safetensors, a "
         "folder of .npy)")
      ->required();
  flags::add_model_flags(app, *model);
  app.add_flag("-v,--verbose", *verbose, "show every value and node of a graph, every node of a results file");
  app.add_flag("--check-schema", *check, "say where a results file departs from its schema");
  const auto digest = std::make_shared<std::string>();
  app.add_flag("--digest{runs}", *digest,
               "print a hash of all runs of a results file, whatever their order; --digest=values: of what was "
               "computed, without times, uuids and hosts")
      ->check(flags::one_of({"runs", "values"}));
  const auto node = std::make_shared<std::string>();
  app.add_option("--node", *node,
                 "show all that a results file has of this node, of the run where it is worst (-v: of each)");
  const auto values = std::make_shared<bool>(false), force = std::make_shared<bool>(false);
  const auto json = std::make_shared<std::string>();
  auto* list = app.add_flag("--values", *values, "list the values of a graph that another runtime is to dump");
  flags::add_output(app, "--json", *json, "write the list of --values as JSON to this file, or - for stdout")
      ->needs(list);
  flags::add_force_flag(app, *force);
  return [path, model, verbose, check, digest, node, values, json, force] {
    if (*values) return list_values(*path, *model, *json, *force);
    if (*check) return check_results(*path);
    if (!digest->empty()) return print_digest(*path, *digest);
    if (!node->empty()) return inspect_node(*path, *node, *verbose);
    inspect_file(*path, *model, *verbose);
    return 0;
  };
}

}  // namespace plumb::parity::cli
