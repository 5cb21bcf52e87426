#include "parity/results/results_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parity/core/table.hpp"
#include "parity/results/results_schema.hpp"

namespace plumb::parity::results {
namespace {

using results::no_number;

/// The parts of a results file that a reader asks about.
struct Contents {
  StoredValues attributes;
  std::vector<std::string> names;
  std::vector<results::Run> runs;
  std::vector<results::Node> nodes;

  const std::string& name(std::uint32_t id) const {
    static const std::string unknown = "?";
    return id < names.size() ? names[id] : unknown;
  }
};

Contents contents_of(const Hdf5Store& store) {
  results::require_results_file(store);
  return {store.attributes("/"), store.read_texts("/names"),
          store.read<results::Run>("/runs", results::run_type()).rows,
          store.read<results::Node>("/results/nodes", results::node_type()).rows};
}

std::string stored_text(const StoredValues& values, const std::string& name) {
  const auto found = values.find(name);
  const auto* text = found == values.end() ? nullptr : std::get_if<std::string>(&found->second);
  return text != nullptr ? *text : "?";
}

std::string verdict_name(results::Code<core::Verdict> verdict) {
  const auto names = core::enum_names(core::Verdict{});
  return verdict.value < names.size() ? std::string(names[verdict.value]) : "?";
}

std::string milliseconds(std::uint64_t ns) {
  return ns == no_number ? "-" : core::short_number(static_cast<double>(ns) * 1e-6);
}

void add_nodes(std::string& text, const Hdf5Store& store, const Contents& contents, const results::Run& run,
               std::size_t most) {
  std::vector<const results::Node*> local;
  for (const results::Node& node : contents.nodes)
    if (node.run == run.run && node.part == results::Part::local) local.push_back(&node);
  const auto key = [](const results::Node* node) { return std::isnan(node->ratio_max) ? -1 : node->ratio_max; };
  std::ranges::stable_sort(local, std::greater<>(), key);
  if (local.empty() || most == 0) return;
  const std::string table = "/graph/" + contents.name(run.graph_id) + "/nodes";
  const auto graph = store.read<results::GraphNode>(table, results::graph_node_type()).rows;
  core::TextTable lines({"  node", "op", "error", "allowed", "ratio", "ulp", "reference ms", "device ms", "verdict"},
                        2);
  for (std::size_t k = 0; k < std::min(most, local.size()); ++k) {
    const results::Node& node = *local[k];
    const bool known = node.node < graph.size();
    const auto label = known ? contents.name(graph[node.node].name_id) : "?";
    const auto op = known ? graph[node.node].op.value : results::op_choices().size();
    lines.row({"  " + label + (node.out != 0 ? fmt::format(":{}", node.out) : ""),
               op < results::op_choices().size() ? results::op_choices()[op] : "?", core::short_number(node.max_abs),
               core::short_number(node.bound_at_max), core::short_number(node.ratio_max),
               core::short_number(node.max_ulp), milliseconds(node.t_ref_ns), milliseconds(node.t_dev_ns),
               verdict_name(node.verdict)});
  }
  text += lines.text();
  if (local.size() > most) text += fmt::format("  and {} more\n", local.size() - most);
}

}  // namespace

std::string results_report(const std::filesystem::path& path, std::size_t nodes_a_run) {
  const auto store = Hdf5Store::open(path);
  const Contents contents = contents_of(store);
  std::string text = fmt::format(
      "{}: {} {}, plumb {} ({}), {}\n", path.string(), results::schema_name,
      stored_text(contents.attributes, "schema_version"), stored_text(contents.attributes, "tool_version"),
      stored_text(contents.attributes, "git_commit").substr(0, 12), stored_text(contents.attributes, "created_utc"));
  for (const results::Run& run : contents.runs) {
    const auto outputs = std::ranges::count_if(contents.nodes, [&](const results::Node& node) {
      return node.run == run.run && node.part == results::Part::local;
    });
    text += fmt::format("run {}: graph {}, device {}, seed {}, {}, {} outputs, {} s: {}\n", run.run,
                        contents.name(run.graph_id), contents.name(run.device_id), run.seed,
                        contents.name(run.precision_id), outputs, core::short_number(run.wall_s),
                        verdict_name(run.verdict));
    add_nodes(text, store, contents, run, nodes_a_run);
  }
  return text;
}

}  // namespace plumb::parity::results
