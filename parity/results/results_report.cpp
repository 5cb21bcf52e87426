// A results file as text: a line for each run, and its nodes with the worst first.
#include "parity/results/results_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "parity/results/results_file.hpp"
#include "parity/results/results_schema.hpp"
#include "parity/terminal/table.hpp"

namespace plumb::parity::results {
namespace {

std::string verdict_name(Code<core::Verdict> verdict) {
  const auto names = core::enum_names(core::Verdict{});
  return verdict.value < names.size() ? std::string(names[verdict.value]) : "?";
}

std::string milliseconds(std::uint64_t ns) {
  return ns == no_number ? "-" : terminal::short_number(static_cast<double>(ns) * 1e-6);
}

/// "f16" for what a kernel's sums are made in, "-" for a kernel without sums.
std::string accumulation_of(const StoredKernel& kernel) {
  if (!kernel.is_recorded) return "not recorded";
  return kernel.accumulation ? std::string(ir::info(*kernel.accumulation).name) : "-";
}

/// "coopmat_f16acc16 64x64x16"
std::string name_of(const StoredKernel& kernel) {
  if (!kernel.is_recorded) return "not recorded";
  return kernel.name.empty() ? "-" : kernel.name + (kernel.tile.empty() ? "" : " " + kernel.tile);
}

/// The bits that an accumulator would have whose sums are as far off as those of the sample; of 16-bit results the
/// share that is misrounded.
std::string bits_of(const Node& row) {
  if (!std::isnan(row.misrounded)) return fmt::format("{:.2g} % misrounded", 100 * row.misrounded);
  return terminal::short_number(row.bits_accumulator);
}

std::vector<std::string> cells(ResultsFile& file, const Run& run, const Node& row) {
  const GraphNode* const node = file.find_node(run, row);
  const auto op = node == nullptr ? op_choices().size() : node->op.value;
  const StoredKernel kernel = file.kernel(row);
  return {"  " + file.label(run, row),
          op < op_choices().size() ? op_choices()[op] : "?",
          terminal::short_number(row.max_abs),
          terminal::short_number(row.bound_at_max),
          terminal::short_number(row.ratio_max),
          terminal::short_number(row.max_ulp),
          milliseconds(row.t_ref_ns),
          milliseconds(row.t_dev_ns),
          name_of(kernel),
          accumulation_of(kernel),
          terminal::short_number(row.sensitivity),
          bits_of(row),
          verdict_name(row.verdict)};
}

void add_nodes(std::string& text, ResultsFile& file, const Run& run, std::size_t most) {
  std::vector<const Node*> local;
  for (const std::size_t row : file.local_rows(run)) local.push_back(&file.rows()[row]);
  const auto key = [](const Node* node) { return std::isnan(node->ratio_max) ? -1 : node->ratio_max; };
  std::ranges::stable_sort(local, std::greater<>(), key);
  if (local.empty() || most == 0) return;
  terminal::TextTable lines({"  node", "op", "error", "allowed", "ratio", "ulp", "reference ms", "device ms", "kernel",
                             "accumulation", "sensitivity", "bits", "verdict"},
                            2);
  for (std::size_t k = 0; k < std::min(most, local.size()); ++k) lines.row(cells(file, run, *local[k]));
  text += lines.text();
  if (local.size() > most) text += fmt::format("  and {} more\n", local.size() - most);
}

}  // namespace

std::string results_report(const std::filesystem::path& path, std::size_t nodes_a_run) {
  ResultsFile file(path);
  const auto said = [&](const std::string& name) {
    const std::string text = file.attribute(name);
    return text.empty() ? "?" : text;
  };
  std::string text = fmt::format("{}: {} {}, plumb {} ({}), {}\n", path.string(), schema_name, said("schema_version"),
                                 said("tool_version"), said("git_commit").substr(0, 12), said("created_utc"));
  for (const Run& run : file.runs()) {
    text += fmt::format("run {}: graph {}, device {}, seed {}, {}, {} outputs, {} s: {}\n", run.run,
                        file.name(run.graph_id), file.name(run.device_id), run.seed, file.precision(run),
                        file.local_rows(run).size(), terminal::short_number(run.wall_s), verdict_name(run.verdict));
    add_nodes(text, file, run, nodes_a_run);
  }
  return text;
}

}  // namespace plumb::parity::results
