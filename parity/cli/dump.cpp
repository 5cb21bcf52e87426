// `plumb dump`: tensors of chosen nodes from both executors, and their truth, as HDF5 or npz.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <set>

#include "ir/formats/tensor_files.hpp"
#include "ir/passes/widen.hpp"
#include "parity/cli/command.hpp"
#include "parity/cli/flags/chosen_executor.hpp"
#include "parity/cli/flags/graph_flags.hpp"
#include "parity/cli/flags/output_flags.hpp"
#include "parity/cli/flags/validators.hpp"
#include "parity/cli/show/about_tensors.hpp"
#include "parity/core/regular_expression.hpp"
#include "parity/core/terminal/table.hpp"
#include "ref_cpu/cpu_executor.hpp"

namespace plumb::parity::cli {
namespace {

struct DumpFlags {
  std::string path, nodes = ".*", output = "plumb_dump.h5", from = "both";
  bool truth = false, force = false, inside = false;
  flags::GraphFlags graph;
  flags::DeviceFlags device;
  flags::CandidateFlags candidate;
};

/// The values of the nodes whose label matches.
std::set<ir::Value> chosen(const ir::Graph& graph, const std::string& pattern) {
  const core::RegularExpression expression(pattern, "--nodes");
  std::set<ir::Value> values;
  for (const ir::Node& node : graph.nodes())
    if (expression.is_in(node.label)) values.insert(node.outputs.begin(), node.outputs.end());
  ir::require(!values.empty(), "no node matches --nodes '", pattern, "'");
  return values;
}

ir::Feeds widened(const ir::Feeds& feeds) {
  ir::Feeds wide;
  for (const auto& [name, tensor] : feeds) wide.emplace(name, ir::passes::widen(tensor));
  return wide;
}

/// Chosen values of the device or a candidate. Without `inside` what runs is what runs in `plumb run` if that can be
/// looked into, and what fusions leave nowhere is not there.
struct DeviceValues {
  ir::Tensors tensors;
  std::vector<ir::NodeReport> nodes;
};

DeviceValues device_values(const flags::ChosenExecutor& on, const cases::Case& loaded,
                           const std::set<ir::Value>& chosen, bool inside) {
  const ir::Graph& graph = loaded.file->graph;
  // Who is not ours is asked for values, or for none.
  const ir::Capture plain{.wanted = graph.results(), .surviving = true, .as_plain = on.foreign() == nullptr};
  const ir::Capture all{{chosen.begin(), chosen.end()}};
  on.begins(loaded);
  const auto executable = on.executor->compile(graph, loaded.feeds, inside ? all : plain);
  DeviceValues found{executable->run(loaded.feeds), executable->nodes()};
  std::erase_if(found.tensors, [&](const auto& entry) { return !chosen.contains(entry.first); });
  return found;
}

/// Chosen values that no kernel stores, a line each.
std::string say_missing(const ir::Graph& graph, const std::set<ir::Value>& chosen, const DeviceValues& found,
                        const std::string& who) {
  std::string lines;
  std::size_t missing = 0;
  for (std::size_t n = 0; n < graph.nodes().size(); ++n)
    for (const ir::Value v : graph.nodes()[n].outputs) {
      if (found.tensors.contains(v) || !chosen.contains(v)) continue;
      const bool is_fused = found.nodes[n].placement == ir::Placement::fused;
      lines += ir::cat("  ", graph.name(v), is_fused ? " is computed inside of " + found.nodes[n].kernel : "", '\n');
      ++missing;
    }
  if (missing == 0) return "";
  return ir::cat(who, " does not store ", core::terminal::counted(missing, "output"),
                 " (--inside keeps all; bits of others may change):\n", lines);
}

/// Values that have other bits where every chosen one is kept than they have in a plain run.
std::set<ir::Value> perturbed(const DeviceValues& plain, const DeviceValues& inside) {
  std::set<ir::Value> others;
  for (const auto& [v, tensor] : inside.tensors) {
    const auto found = plain.tensors.find(v);
    if (found != plain.tensors.end() && !std::ranges::equal(found->second.bytes(), tensor.bytes())) others.insert(v);
  }
  return others;
}

std::string say_perturbed(const ir::Graph& graph, const std::set<ir::Value>& others, const std::string& who) {
  if (others.empty()) return "";
  std::string lines;
  for (const ir::Value v : others) lines += ir::cat("  ", graph.name(v), '\n');
  return ir::cat(core::terminal::counted(others.size(), "tensor"), " of ", who, ' ',
                 others.size() == 1 ? "has" : "have", " other bits than in a run without --inside:\n", lines);
}

/// The tensors to write, and the description of them.
struct Dump {
  ir::formats::NamedTensors tensors;
  show::AboutTensors about;
};

/// Adds the tensors that the device or the candidate has of the chosen values; returns a remark for the user.
std::string take_device_values(const DumpFlags& flags, const cases::Case& loaded, const std::set<ir::Value>& chosen,
                               const flags::ChosenExecutor& on, Dump& dump) {
  const ir::Graph& graph = loaded.file->graph;
  DeviceValues found = device_values(on, loaded, chosen, flags.inside);
  ir::require(flags.from == "both" || !found.tensors.empty(), "no kernel stores a value of what --nodes '", flags.nodes,
              "' chooses; --inside computes them apart");
  const auto others = flags.inside ? perturbed(device_values(on, loaded, chosen, false), found) : std::set<ir::Value>();
  const std::string who = on.device() != nullptr ? "the device" : on.name;
  const std::string said = flags.inside ? say_perturbed(graph, others, who) : say_missing(graph, chosen, found, who);
  for (auto& [value, tensor] : found.tensors) {
    const std::string name = on.name + '/' + graph.name(value);
    dump.about.add(name, value, on.name, &found.nodes);
    if (flags.inside) dump.about.set_perturbed(name, others.contains(value));
    dump.tensors.emplace(name, std::move(tensor));
  }
  return said;
}

int dump_graph(const DumpFlags& flags) {
  const cases::Case loaded = verify::load_case(flags.path, flags::fill_options(flags.graph, flags.candidate));
  const ir::Graph& graph = loaded.file->graph;
  const auto values = chosen(graph, flags.nodes);
  const auto output = flags::open_tensors(flags.output, flags.force, flags.path, *loaded.file, flags.graph);
  Dump dump{.tensors = {}, .about = show::AboutTensors(graph)};
  ref_cpu::CpuExecutor cpu({.threads = flags.device.threads});
  const auto take = [&](const std::string& where, const ir::Graph& run, const ir::Feeds& feeds) {
    for (auto& [value, tensor] : cpu.run(run, feeds, {values.begin(), values.end()})) {
      const std::string name = where + "/" + graph.name(value);
      dump.about.add(name, value, where);
      dump.tensors.emplace(name, std::move(tensor));
    }
  };
  const bool is_cpu_alone = flags.from == "cpu";
  const flags::ChosenExecutor on = flags::open_chosen(is_cpu_alone ? "cpu" : "gpu", flags.candidate, flags.device);
  ir::require(flags.candidate.candidate.empty() || !is_cpu_alone, "--from cpu leaves out whom --candidate names, ",
              flags.candidate.candidate);
  ir::require(flags.from != "gpu" || on.device() != nullptr, "--from gpu is about our device, and --candidate names ",
              flags.candidate.candidate, ": --from candidate");
  const std::string cpu_name = "cpu";
  if (flags.truth) take("truth", ir::passes::widen(graph), widened(loaded.feeds));
  if (flags.from == "both" || on.name == cpu_name) take(cpu_name, graph, loaded.feeds);
  std::string said;
  if (on.name != cpu_name) said = take_device_values(flags, loaded, values, on, dump);
  ir::formats::save_tensors(*output, dump.tensors, dump.about.text(loaded, on, flags.inside ? "inside" : "plain"));
  std::cout << "wrote " << core::terminal::counted(dump.tensors.size(), "tensor") << " to " << flags.output << '\n'
            << said;
  return 0;
}

}  // namespace

Action dump(CLI::App& app) {
  const auto flags = std::make_shared<DumpFlags>();
  app.add_option("graph", flags->path, "graph file (plumb.graph/1, ONNX)")->required();
  app.add_option("--nodes", flags->nodes, "regular expression over node labels")
      ->type_name("LABELS")
      ->capture_default_str();
  app.add_option(
         "--from", flags->from,
         "whose tensors to write: the CPU executor's (cpu), those of the device (gpu) or of whom --candidate names "
         "(candidate), or both")
      ->check(flags::one_of({"both", "cpu", "gpu", "candidate"}))
      ->capture_default_str();
  app.add_flag("--truth", flags->truth, "write the f64 truth, too; with --dtype that of the converted graph");
  app.add_flag("--inside", flags->inside,
               "the device keeps every chosen value, also those that fusions leave nowhere; bits of others may change");
  flags::add_output(
      app, "-o,--output", flags->output,
      "write to this .h5 or .npz; tensors are named cpu/NODE, gpu/NODE (a candidate's NAME/NODE) and truth/NODE")
      ->capture_default_str();
  flags::add_force_flag(app, flags->force);
  flags::add_graph_flags(app, flags->graph);
  flags::add_precision_flag(app, flags->graph);
  flags::add_device_flags(app, flags->device);
  flags::add_chosen_executor_flags(app, flags->candidate, nullptr);
  return [flags] { return dump_graph(*flags); };
}

}  // namespace plumb::parity::cli
