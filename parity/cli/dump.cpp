// `plumb dump`: tensors of chosen nodes from both executors, and their truth, as HDF5 or npz.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <set>

#include "ir/formats/tensor_files.hpp"
#include "ir/passes/widen.hpp"
#include "parity/cli/command.hpp"
#include "parity/cli/dumping/node_by_node.hpp"
#include "parity/cli/dumping/slice.hpp"
#include "parity/cli/dumping/statistics_text.hpp"
#include "parity/cli/flags/chosen_executor.hpp"
#include "parity/cli/flags/graph_flags.hpp"
#include "parity/cli/flags/node_choices.hpp"
#include "parity/cli/flags/output_flags.hpp"
#include "parity/cli/flags/validators.hpp"
#include "parity/cli/memory/memory_flags.hpp"
#include "parity/cli/show/about_tensors.hpp"
#include "parity/cli/show/print.hpp"
#include "parity/core/did_you_mean.hpp"
#include "parity/core/terminal/table.hpp"
#include "parity/verify/memory_budget.hpp"
#include "ref_cpu/cpu_executor.hpp"

namespace plumb::parity::cli {
namespace {

struct DumpFlags {
  std::string path, nodes = ".*", output = "plumb_dump.h5", from = "both";
  std::vector<std::string> slices;
  bool truth = false, force = false, inside = false, with_inputs = false, statistics = false;
  bool has_nodes = false, has_output = false;  ///< they were named
  flags::GraphFlags graph;
  flags::DeviceFlags device;
  flags::CandidateFlags candidate;
  flags::MemoryFlags memory;
};

/// The values that are to be dumped, computed ones and sources, and the parts of them that are wanted.
struct Chosen {
  std::set<ir::Value> values = {}, sources = {};
  std::map<ir::Value, Slice> slices = {};

  void add(const ir::Graph& graph, ir::Value value) { (graph.is_source(value) ? sources : values).insert(value); }
};

/// The values that --slice names, which are dumped in part.
void choose_slices(const ir::Graph& graph, const std::vector<std::string>& given, Chosen& chosen) {
  const auto names = [&] {
    std::vector<std::string> all;
    for (ir::Value value = 0; value < graph.value_count(); ++value)
      if (graph.defined(value)) all.push_back(graph.name(value));
    return all;
  };
  for (const std::string& text : given) {
    Slice slice = parse_slice(text);
    const auto value = graph.find(slice.name);
    if (!value) ir::fail("--slice: the graph has no value '", slice.name, "'", core::did_you_mean(slice.name, names()));
    chosen.add(graph, *value);
    ir::require(chosen.slices.emplace(*value, std::move(slice)).second, "--slice names '", graph.name(*value),
                "' twice");
  }
}

Chosen chosen(const ir::Graph& graph, const DumpFlags& flags) {
  Chosen made;
  if (flags.has_nodes || flags.slices.empty())
    for (const std::size_t n : cli::flags::matching_nodes(graph, flags.nodes)) {
      const std::vector<ir::Value>& outputs = graph.nodes()[n].outputs;
      made.values.insert(outputs.begin(), outputs.end());
    }
  choose_slices(graph, flags.slices, made);
  if (!flags.with_inputs) return made;
  const std::set<ir::Value> wanted = made.values;
  for (const ir::Node& node : graph.nodes()) {
    const bool is_chosen = std::ranges::any_of(node.outputs, [&](ir::Value one) { return wanted.contains(one); });
    if (is_chosen)
      for (const ir::Value operand : node.inputs) made.add(graph, operand);
  }
  return made;
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

/// The tensors to write, or what describes them, and the description of them all.
struct Dump {
  const ir::Graph& graph;
  const Chosen& chosen;
  bool has_statistics = false;
  verify::MemoryBudget* budget = nullptr;  ///< --memory; null where that is not said
  ir::formats::NamedTensors tensors = {};
  ir::formats::NamedStatistics statistics = {};
  ir::formats::DumpDescription about = ir::formats::DumpDescription(graph);

  /// Takes a value as `who` has it, or the part of it that is wanted; returns how it is called.
  std::string take(const std::string& who, ir::Value value, ir::Tensor tensor,
                   const std::vector<ir::NodeReport>* nodes = nullptr) {
    const std::string name = ir::cat(who, '/', graph.name(value));
    about.add(name, value, who, nodes);
    const auto slice = chosen.slices.find(value);
    if (slice != chosen.slices.end()) {
      tensor = sliced(tensor, slice->second);
      about.set_slice(name, slice->second.text);
    }
    if (has_statistics)
      statistics.emplace(name, ir::formats::statistics_of(tensor));
    else
      tensors.emplace(name, std::move(tensor));
    return name;
  }

  /// Takes the sources that are wanted.
  void take_sources(const std::string& who, const ir::Feeds& feeds, bool are_widened = false) {
    for (const ir::Value value : chosen.sources) {
      const ir::Tensor& fed = ir::fed(graph, feeds, value);
      take(who, value, are_widened ? ir::passes::widen(fed) : fed);
    }
  }
};

/// Adds the tensors that the device or the candidate has of the chosen values; returns a remark for the user.
std::string take_device_values(const DumpFlags& flags, const cases::Case& loaded, const flags::ChosenExecutor& on,
                               Dump& dump) {
  const ir::Graph& graph = loaded.file->graph;
  const std::set<ir::Value>& chosen = dump.chosen.values;
  DeviceValues found = device_values(on, loaded, chosen, flags.inside);
  ir::require(flags.from == "both" || !found.tensors.empty(), "no kernel stores a value of what --nodes '", flags.nodes,
              "' chooses; --inside computes them apart");
  const auto others = flags.inside ? perturbed(device_values(on, loaded, chosen, false), found) : std::set<ir::Value>();
  const std::string who = on.device() != nullptr ? "the device" : on.name;
  const std::string said = flags.inside ? say_perturbed(graph, others, who) : say_missing(graph, chosen, found, who);
  for (auto& [value, tensor] : found.tensors) {
    if (dump.budget != nullptr) tensor = dump.budget->hold(std::move(tensor));
    const std::string name = dump.take(on.name, value, std::move(tensor), &found.nodes);
    if (flags.inside) dump.about.set_perturbed(name, others.contains(value));
  }
  dump.take_sources(on.name, loaded.feeds);
  return said;
}

/// The file of --output; with --stats it is JSON, and there is none unless it is named.
std::unique_ptr<ir::files::OutputFile> open_output(const DumpFlags& flags, const ir::formats::GraphFile& file) {
  if (!flags.statistics) return flags::open_tensors(flags.output, flags.force, flags.path, file, flags.graph);
  if (!flags.has_output) return nullptr;
  flags::Outputs outputs{.force = flags.force, .inputs = flags::files_read(file)};
  outputs.inputs.emplace_back(flags.path);
  for (auto& read : flags::files_read(flags.graph)) outputs.inputs.push_back(std::move(read));
  return outputs.open(flags.output, ir::files::FileKind::json);
}

/// Writes what was taken, and says so.
void write(const DumpFlags& flags, const Dump& dump, const std::string& about,
           const std::unique_ptr<ir::files::OutputFile>& output) {
  if (flags.statistics) {
    std::cout << to_text(dump.statistics, {.width = show::stdout_width()});
    if (output) flags::write_whole(output, ir::formats::statistics_json(dump.statistics, about));
    return;
  }
  ir::formats::save_tensors(*output, dump.tensors, about);
  std::cout << "wrote " << core::terminal::counted(dump.tensors.size(), "tensor") << " to " << flags.output << '\n';
}

/// Takes the values that the CPU executor has of a case: within a budget node by node.
void take_cpu_values(ref_cpu::CpuExecutor& cpu, const cases::Case& loaded, Evaluated how, const std::string& who,
                     Dump& dump) {
  const ir::Graph& graph = loaded.file->graph;
  const std::set<ir::Value>& wanted = dump.chosen.values;
  const bool is_widened = how == Evaluated::widened;
  const auto take = [&](ir::Value value, ir::Tensor tensor) { dump.take(who, value, std::move(tensor)); };
  if (dump.budget != nullptr) {
    evaluate_node_by_node(cpu, loaded, how, wanted, *dump.budget, take);
  } else {
    const auto run = [&](const ir::Graph& of, const ir::Feeds& feeds) {
      for (auto& [value, tensor] : cpu.run(of, feeds, {wanted.begin(), wanted.end()})) take(value, std::move(tensor));
    };
    is_widened ? run(ir::passes::widen(graph), ir::passes::widen(loaded.feeds)) : run(graph, loaded.feeds);
  }
  dump.take_sources(who, loaded.feeds, is_widened);
}

int dump_graph(const DumpFlags& flags) {
  const auto budget = flags::open_budget(flags.memory);
  verify::FillOptions fill = flags::fill_options(flags.graph, flags.candidate);
  flags::set_budget(flags.memory, fill);
  const cases::Case loaded = verify::load_case(flags.path, fill);
  const ir::Graph& graph = loaded.file->graph;
  const Chosen wanted = chosen(graph, flags);
  const auto output = open_output(flags, *loaded.file);
  Dump dump{.graph = graph, .chosen = wanted, .has_statistics = flags.statistics, .budget = budget.get()};
  ref_cpu::CpuExecutor cpu({.threads = flags.device.threads});
  const bool is_cpu_alone = flags.from == "cpu";
  const flags::ChosenExecutor on = flags::open_chosen(is_cpu_alone ? "cpu" : "gpu", flags.candidate, flags.device);
  ir::require(flags.candidate.candidate.empty() || !is_cpu_alone, "--from cpu leaves out whom --candidate names, ",
              flags.candidate.candidate);
  ir::require(flags.from != "gpu" || on.device() != nullptr, "--from gpu is about our device, and --candidate names ",
              flags.candidate.candidate, ": --from candidate");
  const std::string cpu_name = "cpu";
  const unsigned runs = on.name == cpu_name ? 0 : flags.inside ? 2 : 1;
  if (budget) budget->begin_dump(loaded, on.beside(cpu), {.candidate_runs = runs, .has_truth = flags.truth});
  if (flags.truth) take_cpu_values(cpu, loaded, Evaluated::widened, "truth", dump);
  if (flags.from == "both" || on.name == cpu_name) take_cpu_values(cpu, loaded, Evaluated::as_it_is, cpu_name, dump);
  std::string said;
  if (on.name != cpu_name) said = take_device_values(flags, loaded, on, dump);
  write(flags, dump, show::about_tensors(dump.about, loaded, on, flags.inside ? "inside" : "plain"), output);
  std::cout << said;
  if (budget) std::cout << flags::said_of(*budget) << '\n';
  return 0;
}

}  // namespace

Action dump(CLI::App& app) {
  const auto flags = std::make_shared<DumpFlags>();
  app.add_option("graph", flags->path, "graph file (plumb.graph/1, ONNX)")->required();
  app.add_option("--nodes", flags->nodes, "regular expression over node labels")
      ->type_name("LABELS")
      ->each([given = flags.get()](const std::string&) { given->has_nodes = true; })
      ->capture_default_str();
  app.add_flag("--with-inputs", flags->with_inputs,
               "also write what those nodes read: then compare --graph and verify --candidate file: know what was fed");
  app.add_option("--slice", flags->slices,
                 "write this part of a value alone, as 'layer0/q[0,:,3:7]'; without --nodes no other value")
      ->type_name("NAME[...]")
      ->allow_extra_args(false);
  app.add_flag("--stats", flags->statistics,
               "write no tensors, but show min, max, mean, rms, NaNs, infinities, zeros and a histogram of each; with "
               "-o as JSON, too");
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
      ->each([given = flags.get()](const std::string&) { given->has_output = true; })
      ->capture_default_str();
  flags::add_force_flag(app, flags->force);
  flags::add_graph_flags(app, flags->graph);
  flags::add_precision_flag(app, flags->graph);
  flags::add_device_flags(app, flags->device);
  flags::add_chosen_executor_flags(app, flags->candidate, nullptr);
  app.remove_option(app.get_option("--memory"));  // it says more here
  flags::add_memory_flags(app, flags->memory, flags->candidate.options.memory);
  return [flags] { return dump_graph(*flags); };
}

}  // namespace plumb::parity::cli
