// A results file as text: its runs, or what many seeds of one graph came to, and the nodes with the worst first.
#include "parity/results/results_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "parity/core/did_you_mean.hpp"
#include "parity/core/terminal/fitted_table.hpp"
#include "parity/core/terminal/table.hpp"
#include "parity/core/terminal/text.hpp"
#include "parity/report/node_report.hpp"
#include "parity/report/seed_summary.hpp"
#include "parity/results/results_file.hpp"
#include "parity/results/results_schema.hpp"
#include "parity/results/stored_case.hpp"

namespace plumb::parity::results {
namespace {

std::string verdict_name(Code<core::Verdict> verdict) {
  const auto names = core::enum_names(core::Verdict{});
  return verdict.value < names.size() ? std::string(names[verdict.value]) : "?";
}

std::string milliseconds(std::uint64_t ns) {
  return ns == no_number ? "-" : core::terminal::short_number(static_cast<double>(ns) * 1e-6);
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
  return core::terminal::short_number(row.bits_accumulator);
}

bool is_trouble(const Node& row) { return !core::is_fine(known(row.verdict, core::Verdict::error)); }

bool is_wrong(const Node& row) {
  const core::Verdict verdict = known(row.verdict, core::Verdict::error);
  return is_trouble(row) && verdict != core::Verdict::mistrusted && verdict != core::Verdict::out_of_range;
}

/// "[2, 7]" of a flat index into the first output of a node; the index itself where the extents are not recorded.
std::string place_of(std::uint64_t index, const Node& row, const GraphNode* node) {
  const bool is_known = node != nullptr && row.out == 0 && node->rank > 0 && node->rank <= node->dims.size();
  if (!is_known) return fmt::format("[{}]", index);
  return core::terminal::place_text(index, std::span(node->dims).first(node->rank));
}

/// Writes the report of one file.
class Report {
 public:
  Report(const std::filesystem::path& path, const Shown& shown, const core::terminal::Style& style)
      : file_(path), shown_(shown), style_(style) {}

  std::string text();

 private:
  using Runs = std::vector<const Run*>;

  std::string head();
  std::vector<Runs> groups_at(std::size_t first);
  std::string kind_of(const Run& run);
  std::string of_one(const Run& run);
  std::string of_many(Runs runs);
  std::vector<const Node*> worst_first(const Run& run);
  std::vector<std::string> cells(const Run& run, const Node& row);
  std::string nodes_of(const Run& run);
  std::string trouble_of(const Run& run, const Node& row);
  std::string folded(const std::string& text, std::string_view indent) const {
    return core::terminal::folded(core::terminal::printable(text), style_.width, indent);
  }

  ResultsFile file_;
  const Shown shown_;
  const core::terminal::Style style_;
};

std::string Report::head() {
  const auto said = [&](const std::string& name) {
    const std::string text = file_.attribute(name);
    return text.empty() ? "?" : text;
  };
  const auto cut_off = file_.cut_off();
  return folded(
             fmt::format("{}: {} {}, plumb {} ({}), {}\n", file_.path().string(), schema_name, said("schema_version"),
                         said("tool_version"), said("git_commit").substr(0, 12), said("created_utc")),
             "  ") +
         (cut_off ? cut_off->text + '\n' : "");
}

/// The runs from this one on that differ from it in their seed and their candidate alone, by candidate.
std::vector<Report::Runs> Report::groups_at(std::size_t first) {
  const auto key = [](const Run& run) {
    return std::tuple(run.graph_id, run.step, run.file_id, run.env_id, run.policy_id, run.precision_id, run.mode.value,
                      run.fill.value);
  };
  const auto& runs = file_.runs();
  std::vector<Runs> groups;
  for (std::size_t r = first; r < runs.size() && key(runs[r]) == key(runs[first]); ++r) {
    const auto is_of = [&](const Runs& group) {
      return group.front()->candidate_id == runs[r].candidate_id && group.front()->device_id == runs[r].device_id;
    };
    const auto group = std::ranges::find_if(groups, is_of);
    if (group == groups.end())
      groups.push_back({&runs[r]});
    else
      group->push_back(&runs[r]);
    if (shown_.is_each_run_shown) break;
  }
  return groups;
}

/// ", f16acc16, adversarial": what was run, where it is not as the graph says.
std::string Report::kind_of(const Run& run) {
  std::string text;
  if (const std::string precision = file_.precision(run); precision != "graph") text += ", " + precision;
  const auto fill = known(run.fill, FillKind::graph);
  if (fill != FillKind::graph) text += fmt::format(", fill {}", ir::enum_name(fill));
  const std::string& kind = file_.name(run.fill_name_id);
  return kind.empty() ? text : text + ':' + kind;
}

/// Those that failed, or did not get to a verdict, first; then the largest ratios: what is mistrusted, zeros above all,
/// is not worse than what nearly failed.
std::vector<const Node*> Report::worst_first(const Run& run) {
  std::vector<const Node*> nodes;
  for (const std::size_t row : file_.local_rows(run)) nodes.push_back(&file_.rows()[row]);
  std::ranges::stable_sort(nodes, [](const Node* a, const Node* b) {
    const auto ratio = [](const Node* node) { return std::isnan(node->ratio_max) ? -1 : node->ratio_max; };
    if (is_wrong(*a) != is_wrong(*b)) return is_wrong(*a);
    return ratio(a) > ratio(b);
  });
  return nodes;
}

std::vector<std::string> Report::cells(const Run& run, const Node& row) {
  const GraphNode* const node = file_.find_node(run, row);
  const auto op = node == nullptr ? op_choices().size() : node->op.value;
  const StoredKernel kernel = file_.kernel(row);
  return {"  " + file_.label(run, row),
          op < op_choices().size() ? op_choices()[op] : "?",
          core::terminal::short_number(row.max_abs),
          core::terminal::short_number(row.bound_at_max),
          core::terminal::short_number(row.ratio_max),
          core::terminal::short_number(row.max_ulp),
          milliseconds(row.t_ref_ns),
          milliseconds(row.t_dev_ns),
          name_of(kernel),
          accumulation_of(kernel),
          core::terminal::short_number(row.sensitivity),
          bits_of(row),
          verdict_name(row.verdict)};
}

/// Why a node did not pass, what its failing elements have in common, and the worst of all.
std::string Report::trouble_of(const Run& run, const Node& row) {
  if (!is_trouble(row)) return "";
  std::string text;
  if (const std::string& why = file_.name(row.why_id); !why.empty()) text += fmt::format("    {}\n", why);
  for (const std::string& pattern : file_.patterns(row)) text += fmt::format("    pattern: {}\n", pattern);
  const GraphNode* const node = file_.find_node(run, row);
  const auto worst = file_.worst(static_cast<std::size_t>(&row - file_.rows().data()));
  for (const TopElement& one : worst.first(std::min(shown_.elements, worst.size())))
    if (one.index != no_number)
      text += fmt::format("    element {}: truth {:.9g}, device {:.9g}, off by {:.3g}, allowed {:.3g}\n",
                          place_of(one.index, row, node), one.ref, one.dev, std::abs(one.dev - one.ref), one.bound);
  return folded(text, "      ");
}

std::string Report::nodes_of(const Run& run) {
  const auto nodes = worst_first(run);
  const std::size_t count = std::min(shown_.nodes_a_run, nodes.size());
  if (count == 0) return "";
  core::terminal::FittedTable table({{.header = "  node", .is_left = true},
                                     {.header = "op", .is_left = true, .goes = 9},
                                     {.header = "error"},
                                     {.header = "allowed", .goes = 8},
                                     {.header = "ratio"},
                                     {.header = "ulp", .goes = 7},
                                     {.header = "reference ms", .goes = 5},
                                     {.header = "device ms", .goes = 6},
                                     {.header = "kernel", .goes = 4},
                                     {.header = "accumulation", .goes = 3},
                                     {.header = "sensitivity", .goes = 2},
                                     {.header = "bits", .goes = 1},
                                     {.header = "verdict", .is_left = true}});
  for (const Node* const node : std::span(nodes).first(count)) table.row(cells(run, *node));
  const auto lines = table.lines(style_);
  std::string text = lines[0] + '\n';
  for (std::size_t n = 0; n < count; ++n) text += lines[n + 1] + '\n' + trouble_of(run, *nodes[n]);
  if (nodes.size() <= count) return text;
  const auto doubted =
      std::ranges::count_if(std::span(nodes).subspan(count), [](const Node* node) { return is_trouble(*node); });
  text += fmt::format("  and {} more{}\n", nodes.size() - count,
                      doubted > 0 ? fmt::format(", {} of them not verified", doubted) : "");
  return text;
}

std::string Report::of_one(const Run& run) {
  return folded(fmt::format("run {}: {}, {}, seed {}{}, {}, {} s: {}\n", run.run, file_.subject(run), file_.who(run),
                            run.seed, kind_of(run), core::terminal::counted(file_.local_rows(run).size(), "output"),
                            core::terminal::short_number(run.wall_s), verdict_name(run.verdict)),
                "  ") +
         nodes_of(run);
}

/// Many seeds of one graph: what each node came to, then the runs that did not pass.
std::string Report::of_many(Runs runs) {
  report::SeedSummary summary;
  std::vector<const Run*> troubled;
  for (const Run* const one : runs) {
    const Run& run = *one;
    summary.add_case("", known(run.verdict, core::Verdict::error));
    if (known(run.verdict, core::Verdict::error) != core::Verdict::passed) troubled.push_back(one);
    for (const std::size_t r : file_.local_rows(run)) {
      const Node& row = file_.rows()[r];
      const GraphNode* const node = file_.find_node(run, row);
      if (row.out_hash == no_number || node == nullptr || node->op.value >= op_choices().size()) continue;
      summary.add_output({row.node, row.out, file_.label(run, row), op_choices()[node->op.value],
                          known(row.verdict, core::Verdict::error), row.ratio_max, row.max_ulp},
                         run.seed);
    }
  }
  const auto [least, most] = std::ranges::minmax_element(runs, {}, &Run::seed);
  const Run &first = *runs.front(), &last = *runs.back();
  const bool are_all = last.run - first.run + 1 == runs.size();
  const std::string which = fmt::format("runs {} to {}", first.run, last.run);
  std::string text =
      folded(fmt::format("{}: {}, {}, seeds {} to {}{}: {}\n",
                         are_all ? which : fmt::format("{} of {}", runs.size(), which), file_.subject(first),
                         file_.who(first), (*least)->seed, (*most)->seed, kind_of(first), summary.cases()),
             "  ");
  text += summary.table(report::Detail::worst, style_);
  constexpr std::size_t most_shown = 3;
  for (const Run* const run : std::span(troubled).first(std::min(most_shown, troubled.size()))) text += of_one(*run);
  if (troubled.size() > most_shown)
    text += fmt::format("and {} more runs that did not pass; -v shows each\n", troubled.size() - most_shown);
  return text;
}

std::string Report::text() {
  std::string text = head();
  for (std::size_t first = 0; first < file_.runs().size();)
    for (const Runs& runs : groups_at(first)) {
      text += runs.size() == 1 ? of_one(*runs[0]) : of_many(runs);
      first += runs.size();
    }
  return text;
}

}  // namespace

std::string results_report(const std::filesystem::path& path, const Shown& shown, const core::terminal::Style& style) {
  return Report(path, shown, style).text();
}

std::string node_report(const std::filesystem::path& path, const std::string& name, bool each,
                        const core::terminal::Style& style) {
  ResultsFile file(path);
  std::vector<std::pair<const Run*, std::size_t>> found;  // a run, and the row of the node there
  std::set<std::string, std::less<>> names;
  for (const Run& run : file.runs())
    for (const std::size_t row : file.local_rows(run)) {
      const std::string label = file.label(run, file.rows()[row]);
      if (label == name) found.emplace_back(&run, row);
      names.insert(label);
    }
  const std::vector<std::string> known(names.begin(), names.end());
  ir::require(!found.empty(), path.string(), ": no run has a node '", name, "'", core::did_you_mean(name, known));
  const auto worse = [&](const auto& a, const auto& b) {
    const Node &left = file.rows()[a.second], &right = file.rows()[b.second];
    if (is_trouble(left) != is_trouble(right)) return is_trouble(right);
    return left.ratio_max < right.ratio_max;
  };
  const std::size_t runs = found.size();
  if (!each) found = {*std::ranges::max_element(found, worse)};
  std::string text;
  for (const auto& [run, row] : found) {
    const cases::CaseResult result = stored_case(file, *run);
    const std::string said =
        fmt::format("run {} of {} with it: {}, seed {}: {}; verified {:.3g} % of FLOPs, {:.3g} % of elements\n",
                    run->run, runs, file.subject(*run), run->seed, verdict_name(run->verdict),
                    100 * result.coverage.flops, 100 * result.coverage.elements);
    text += core::terminal::folded(core::terminal::printable(said), style.width, "  ");
    for (const cases::NodeResult& node : result.nodes)
      if (node.name() == name) text += report::node_text(result, node, style);
  }
  return text;
}

}  // namespace plumb::parity::results
