// `plumb export`: chosen nodes with the numbers that they get and give, as a graph file or as ONNX's backend tests.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <set>

#include "ir/files/file_kind.hpp"
#include "ir/files/output_file.hpp"
#include "ir/formats/onnx/write/write_onnx.hpp"
#include "ir/formats/onnx/write/write_tensor.hpp"
#include "ir/ops/cast.hpp"
#include "ir/passes/widen.hpp"
#include "parity/cli/command.hpp"
#include "parity/cli/flags/chosen_executor.hpp"
#include "parity/cli/flags/graph_flags.hpp"
#include "parity/cli/flags/node_choices.hpp"
#include "parity/cli/flags/output_flags.hpp"
#include "parity/cli/flags/validators.hpp"
#include "parity/cli/show/graph_text.hpp"
#include "parity/core/terminal/table.hpp"
#include "parity/studies/reduce/candidate.hpp"

namespace plumb::parity::cli {
namespace {

namespace fs = std::filesystem;
using studies::reduce::Candidate;

struct ExportFlags {
  std::string path, nodes = ".*", as = "plumb", output, expected = "truth";
  bool force = false;
  flags::GraphFlags graph;
  flags::DeviceFlags device;
};

/// Values that nodes which are left out compute, and others read.
std::vector<ir::Value> needed_of_others(const ir::Graph& graph, const std::vector<std::size_t>& kept) {
  std::set<ir::Value> needed;
  const std::set<std::size_t> all(kept.begin(), kept.end());
  for (const std::size_t n : kept)
    for (const ir::Value operand : graph.nodes()[n].inputs)
      if (const auto producer = graph.producer(operand); producer && !all.contains(*producer)) needed.insert(operand);
  return {needed.begin(), needed.end()};
}

/// The executor whose numbers are captured: our CPU executor's, unless those of the device are expected.
std::unique_ptr<ir::Executor> executor_of(const ExportFlags& flags) {
  const bool is_device = flags.expected == "device";
  return flags::open_chosen(is_device ? "gpu" : "cpu", {.candidate = "", .options = {}}, flags.device).executor;
}

/// The integers that a result is the float of, where they may have more bits than f64.
std::optional<ir::Value> wide_integers_of(const ir::Graph& graph, ir::Value result) {
  const auto producer = graph.producer(result);
  if (!producer || !graph.nodes()[*producer].op.is<ir::ops::Cast>()) return std::nullopt;
  const ir::Value operand = graph.nodes()[*producer].inputs[0];
  const bool is_wide = graph.type(operand).dtype == ir::DType::i64 && ir::is_float(graph.type(result).dtype);
  return is_wide ? std::optional(operand) : std::nullopt;
}

/// The results in reference precision. Those that are floats of wide integers are rounded to their dtype here: rounded
/// to f64 before, those beside a tie would go the other way.
ir::Tensors truth_of(ir::Executor& executor, const ir::Graph& graph, const ir::Feeds& feeds) {
  std::vector<ir::Value> wanted(graph.results().begin(), graph.results().end());
  for (const ir::Value result : graph.results())
    if (const auto integers = wide_integers_of(graph, result)) wanted.push_back(*integers);
  const ir::Tensors found = executor.run(ir::passes::widen(graph), ir::passes::widen(feeds), wanted);
  ir::Tensors results;
  for (const ir::Value result : graph.results()) {
    const auto integers = wide_integers_of(graph, result);
    results.insert_or_assign(result,
                             integers ? ir::convert(found.at(*integers), graph.type(result).dtype) : found.at(result));
  }
  return results;
}

/// The results of the nodes on what they are fed: the truth, unrounded, or what the executor gives.
ir::Tensors results_of(const ExportFlags& flags, ir::Executor& executor, const ir::Graph& graph,
                       const ir::Feeds& feeds) {
  if (flags.expected == "truth") return truth_of(executor, graph, feeds);
  return executor.run(graph, feeds, {graph.results().begin(), graph.results().end()});
}

/// Writes the graph, and its larger tensors beside it. Results that a graph file states are the truth; those of an
/// implementation, which rounds, are a file for verify --expected.
void write_plumb(const ExportFlags& flags, ir::formats::GraphFile file, const ir::Tensors& results) {
  const std::string name = fs::path(flags.path).stem().string();
  ir::formats::NamedTensors given;
  for (const auto& [value, tensor] : results)
    if (flags.expected == "truth")
      file.expected.emplace(file.graph.name(value), ir::passes::widen(tensor));
    else
      given.emplace(file.graph.name(value), tensor);
  const auto taken = show::taken_out(file, name + ".npz");
  const std::string text = ir::formats::write_graph(file);
  const fs::path folder(flags.output);
  cli::flags::make_folder("-o", folder);
  if (!taken.empty()) ir::formats::save_tensors(folder / (name + ".npz"), taken);
  if (!given.empty()) ir::formats::save_tensors(folder / "expected.npz", given);
  show::write_graph_text(folder / (name + ".json"), text);
}

/// Writes a message of protobuf whole, over an earlier one.
void write_message(const fs::path& path, std::string_view bytes) {
  ir::files::write_file(path, ir::files::FileKind::other, bytes);
}

/// Whether it is a tensor of a test, of which an earlier one may have had more.
bool is_of_test(const fs::path& path) {
  const std::string name = path.filename().string();
  return (name.starts_with("input_") || name.starts_with("output_")) && name.ends_with(".pb");
}

/// Writes MODEL/model.onnx with its params, and what it is fed and gives as MODEL/test_data_set_0.
void write_test(const ExportFlags& flags, const ir::Graph& graph, const ir::Feeds& feeds, const ir::Tensors& results) {
  ir::Feeds params = feeds;
  for (ir::Value input = 0; input < graph.inputs().size(); ++input) params.erase(std::string(graph.name(input)));
  const std::string model = ir::formats::write_onnx(graph, params);  // before anything is on the disk
  const fs::path folder = fs::path(flags.output) / fs::path(flags.path).stem(), data = folder / "test_data_set_0";
  cli::flags::make_folder("-o", data);
  cli::flags::remove_files(data, is_of_test);
  write_message(folder / "model.onnx", model);
  for (ir::Value input = 0; input < graph.inputs().size(); ++input) {
    const std::string name(graph.name(input));
    write_message(data / ir::cat("input_", input, ".pb"), ir::formats::write_tensor_proto(name, feeds.at(name)));
  }
  for (std::size_t k = 0; k < graph.results().size(); ++k) {
    const ir::Value value = graph.results()[k];
    const ir::Tensor rounded = ir::convert(results.at(value), graph.type(value).dtype);
    write_message(data / ir::cat("output_", k, ".pb"),
                  ir::formats::write_tensor_proto(std::string(graph.name(value)), rounded));
  }
}

int run_export(const ExportFlags& flags) {
  cli::flags::require_free_folder("-o", flags.output, flags.force);
  const cases::Case loaded = verify::load_case(flags.path, flags::fill_options(flags.graph));
  const Candidate whole = studies::reduce::candidate_of(loaded);
  const std::vector<std::size_t> kept = cli::flags::matching_nodes(whole.graph, flags.nodes);
  const auto executor = executor_of(flags);
  const std::string why =
      ir::cat(core::terminal::counted(kept.size(), "node"), " of ", loaded.name, " that match '", flags.nodes,
              "', on what the ", flags.expected == "device" ? "device" : "CPU executor", " gave them");
  const std::vector<ir::Value> needed = needed_of_others(whole.graph, kept);
  const ir::Tensors captured = needed.empty() ? ir::Tensors{} : executor->run(whole.graph, loaded.feeds, needed);
  const Candidate made = studies::reduce::with_nodes(whole, kept, [&](ir::Value value) { return captured.at(value); });
  ir::formats::GraphFile file = studies::reduce::file_of(made, why);
  const ir::Feeds feeds = ir::formats::materialise(file, flags.graph.seed);
  const ir::Tensors results = results_of(flags, *executor, file.graph, feeds);
  if (flags.as == "onnx")
    write_test(flags, file.graph, feeds, results);
  else
    write_plumb(flags, std::move(file), results);
  std::cout << "wrote " << core::terminal::counted(kept.size(), "node") << " and "
            << core::terminal::counted(results.size(), "expected result") << " to " << flags.output << '\n';
  return 0;
}

}  // namespace

Action export_nodes(CLI::App& app) {
  const auto flags = std::make_shared<ExportFlags>();
  app.add_option("graph", flags->path, "graph file (plumb.graph/1, ONNX)")->required();
  app.add_option("--nodes", flags->nodes, "regular expression over labels of the nodes to write, as one graph")
      ->type_name("LABELS")
      ->capture_default_str();
  app.add_option("--as", flags->as,
                 "plumb: a graph file, with its tensors beside it; onnx: a folder as those of ONNX's backend tests, "
                 "which plumb conformance runs")
      ->check(flags::one_of({"plumb", "onnx"}))
      ->capture_default_str();
  flags::add_output(app, "-o,--output", flags->output, "write to this folder, which is made")->required();
  app.add_option("--expected", flags->expected,
                 "the results that are expected: the truth of what the nodes are fed, or what the CPU executor or the "
                 "device gives (as plumb: expected.npz for verify --expected); the device's nodes are fed what it gave")
      ->check(flags::one_of({"truth", "cpu", "device"}))
      ->capture_default_str();
  flags::add_force_flag(app, flags->force);
  flags::add_graph_flags(app, flags->graph);
  flags::add_device_flags(app, flags->device);
  return [flags] { return run_export(*flags); };
}

}  // namespace plumb::parity::cli
