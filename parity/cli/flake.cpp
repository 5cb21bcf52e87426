// `plumb flake`: runs one graph until it is known whether its bits are always the same.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <nlohmann/json.hpp>

#include "ir/raw/hash.hpp"
#include "library/reference.hpp"
#include "parity/cli/command.hpp"
#include "parity/cli/flags/chosen_executor.hpp"
#include "parity/cli/flags/device_flags.hpp"
#include "parity/cli/flags/graph_flags.hpp"
#include "parity/cli/flags/output_flags.hpp"
#include "parity/cli/flags/validators.hpp"
#include "parity/cli/planting/planted_executor.hpp"
#include "parity/core/did_you_mean.hpp"
#include "parity/core/terminal/text.hpp"
#include "parity/report/progress.hpp"
#include "parity/studies/flake/pass_rate.hpp"

namespace plumb::parity::cli {
namespace {

struct FlakeFlags {
  std::string path, node, json;
  studies::flake::Rates rates;
  std::uint64_t max_runs = 3000;
  std::vector<std::string> plants;
  bool force = false;
  flags::GraphFlags graph;
  flags::DeviceFlags device;
  flags::CandidateFlags candidate;
};

void add_flags(CLI::App& app, FlakeFlags& flags) {
  app.add_option("graph", flags.path, "a graph file (plumb.graph/1, ONNX)")->required();
  app.add_option("--node", flags.node, "look at the outputs of the node of this label, and at no others")
      ->type_name("LABEL");
  app.add_option("--p0", flags.rates.stable, "stable: it gives the same bits so often at least")->capture_default_str();
  app.add_option("--p1", flags.rates.flaky, "flaky: it gives them so often at most")->capture_default_str();
  app.add_option("--error", flags.rates.error, "the probability of either mistake")->capture_default_str();
  app.add_option("--max-runs", flags.max_runs, "end undecided after so many runs")
      ->check(flags::whole_from_to(2, 100'000'000))
      ->capture_default_str();
  app.add_option("--plant", flags.plants, "plant a fault, as verify does")
      ->type_name("FAULT[=ARG]@GLOB")
      ->allow_extra_args(false);
  flags::add_output(app, "--json", flags.json, "write the finding as JSON to this file, or - for stdout");
  flags::add_force_flag(app, flags.force);
  flags::add_graph_flags(app, flags.graph);
  flags::add_device_flags(app, flags.device);
  flags::add_chosen_executor_flags(app, flags.candidate, nullptr);
}

/// The values that are looked at: results, or the outputs of a node.
std::vector<ir::Value> looked_at(const ir::Graph& graph, const std::string& node, const std::string& path) {
  if (node.empty()) return graph.results();
  std::vector<std::string> labels;
  for (const ir::Node& one : graph.nodes()) {
    if (one.label == node) return one.outputs;
    labels.push_back(one.label);
  }
  ir::fail(path, ": --node: there is no node '", node, "'", core::did_you_mean(node, labels));
}

/// One hash of all that is looked at.
std::uint64_t bits_of(const ir::Tensors& values, const std::vector<ir::Value>& looked_at) {
  std::string all;
  for (const ir::Value value : looked_at) all += fmt::format("{:016x}", ir::raw::hash_bytes(values.at(value).bytes()));
  return ir::raw::hash_bytes(std::as_bytes(std::span(all)));
}

/// Runs until the test has decided, or there were enough of them. Every run is held to the first.
studies::flake::SequentialTest test_runs(const FlakeFlags& flags, ir::Executor& executor, const cases::Case& subject) {
  const std::vector<ir::Value> values = looked_at(subject.file->graph, flags.node, flags.path);
  studies::flake::SequentialTest test(flags.rates);
  const auto compiled = executor.compile(subject.file->graph, subject.feeds, {.wanted = values});
  report::Progress progress;
  const std::uint64_t first = bits_of(compiled->run(subject.feeds), values);
  while (test.finding() == studies::flake::Finding::undecided && test.runs() + 1 < flags.max_runs) {
    progress.step(flags.path, test.runs(), flags.max_runs);
    test.add(bits_of(compiled->run(subject.feeds), values) == first);
  }
  progress.erase();
  return test;
}

int run_flake(const FlakeFlags& flags) {
  using studies::flake::Finding;
  studies::flake::SequentialTest check(flags.rates);  // before anything else is done
  std::vector<Plant> plants;
  for (const std::string& text : flags.plants) plants.push_back(parse_plant(text));
  const flags::Outputs outputs{.force = flags.force, .inputs = {flags.path}};
  const auto json = outputs.open(flags.json, ir::files::FileKind::json);
  const cases::Case subject = verify::load_case(flags.path, flags::fill_options(flags.graph, flags.candidate));
  for (const Plant& plant : plants)
    ir::require(std::ranges::any_of(subject.file->graph.nodes(), [&](const auto& node) { return plant.is_at(node); }),
                plant.nowhere());
  const flags::ChosenExecutor on = flags::open_chosen("gpu", flags.candidate, flags.device);
  flags::require_computes(*on.executor, on.spec, "runs that are held to each other are many");
  on.begins(subject);
  ref_cpu::CpuExecutor reference = library::reference_executor(flags.device.threads);
  PlantedExecutor planted(*on.executor, reference, plants);
  const studies::flake::SequentialTest test = test_runs(flags, planted, subject);
  const studies::flake::Interval interval = studies::flake::interval_of(test.passed(), test.runs());
  std::ostream& out = flags.json == "-" ? std::cerr : std::cout;
  out << core::terminal::printable(
             fmt::format("{}{}: {}: {} of {} runs gave the bits of the first, with a probability of {:.5f} to {:.5f} "
                         "(95 %)",
                         flags.path, flags.node.empty() ? "" : " " + flags.node, ir::enum_name(test.finding()),
                         test.passed(), test.runs(), interval.low, interval.high))
      << '\n';
  const nlohmann::ordered_json report = {{"schema", "plumb.flake/1"},
                                         {"graph", flags.path},
                                         {"node", flags.node},
                                         {"planted", flags.plants},
                                         {"finding", ir::enum_name(test.finding())},
                                         {"runs", test.runs()},
                                         {"passed", test.passed()},
                                         {"p0", flags.rates.stable},
                                         {"p1", flags.rates.flaky},
                                         {"error", flags.rates.error},
                                         {"low", interval.low},
                                         {"high", interval.high}};
  flags::write_whole(json, report.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n');
  const core::ExitCode code = test.finding() == Finding::stable  ? core::ExitCode::passed
                              : test.finding() == Finding::flaky ? core::ExitCode::failed
                                                                 : core::ExitCode::mistrusted;
  return static_cast<int>(code);
}

}  // namespace

Action flake(CLI::App& app) {
  const auto flags = std::make_shared<FlakeFlags>();
  add_flags(app, *flags);
  return [flags] { return run_flake(*flags); };
}

}  // namespace plumb::parity::cli
