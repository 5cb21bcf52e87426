// The table of several candidates: nodes by candidates, and how their results differ from one another.
#include "parity/report/candidates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "parity/core/terminal/fitted_table.hpp"
#include "parity/core/terminal/table.hpp"
#include "parity/core/terminal/text.hpp"

namespace plumb::parity::report {
namespace {

constexpr std::size_t most_rows = 12;

/// One output of a node, by all candidates.
struct Row {
  std::string name, op;
  std::vector<const cases::NodeResult*> by;  ///< null where a candidate has no such row
  double worst = -1;                         ///< the largest ratio
  bool is_judged = false, all_pass = true;
};

void add(const cases::NodeResult& node, std::size_t candidate, Row& row) {
  row.by[candidate] = &node;
  if (node.verdict == core::Verdict::skipped) return;
  row.is_judged = true;
  row.all_pass &= node.verdict == core::Verdict::passed;
  if (node.local.n > 0) row.worst = std::fmax(row.worst, node.gated().ratio());
}

/// In the order of the graph. Rows of plain runs are left out: their verdict is that of the candidate's line.
std::vector<Row> rows_of(std::span<const NamedCase> candidates) {
  std::map<std::pair<std::size_t, std::size_t>, Row> rows;
  for (std::size_t c = 0; c < candidates.size(); ++c)
    for (const cases::NodeResult& node : candidates[c].result->nodes) {
      if (node.is_of_plain_run) continue;
      Row& row = rows[{node.node, node.output}];
      if (row.by.empty()) row = {.name = node.name(), .op = node.op, .by = {candidates.size(), nullptr}};
      add(node, c, row);
    }
  std::vector<Row> list;
  for (auto& [place, row] : rows)
    if (row.is_judged) list.push_back(std::move(row));
  return list;
}

/// The rows that are shown.
std::vector<Row> chosen(std::vector<Row> rows, Detail detail) {
  if (detail == Detail::all) return rows;
  std::ranges::stable_sort(
      rows, [](const Row& a, const Row& b) { return a.all_pass != b.all_pass ? b.all_pass : a.worst > b.worst; });
  const auto passing = std::ranges::find_if(rows, &Row::all_pass) - rows.begin();
  const std::size_t least = detail == Detail::verdicts ? 0 : most_rows;
  rows.resize(std::min(rows.size(), std::max(static_cast<std::size_t>(passing), least)));
  return rows;
}

std::string cell(const cases::NodeResult* node) {
  if (node == nullptr || node->verdict == core::Verdict::skipped) return "-";
  std::string text = node->local.n > 0 ? fmt::format("{:.3f}", node->gated().ratio()) : "-";
  if (node->group > 1) text += fmt::format(" ({} nodes)", node->group);
  if (node->verdict != core::Verdict::passed) text += fmt::format(" {}", ir::enum_name(node->verdict));
  return text;
}

std::string pair_line(const cases::PairResult& pair) {
  std::string text = fmt::format("{}: {} and {} ", pair.value, pair.first, pair.second);
  if (pair.differing == 0) return text + "have the same bits\n";
  text += fmt::format("differ in {} of {} elements, by up to {} ({} ulp)", pair.differing, pair.elements,
                      core::terminal::short_number(pair.max_abs), core::terminal::short_number(pair.max_ulp));
  if (const std::string closer = pair.closer(); !closer.empty())
    text += fmt::format("; {} is closer to the truth, rms {} and {}", closer,
                        core::terminal::short_number(pair.error_of_first),
                        core::terminal::short_number(pair.error_of_second));
  return text + "\n";
}

}  // namespace

std::string side_by_side(std::span<const NamedCase> candidates, std::span<const cases::PairResult> pairs, Detail detail,
                         const core::terminal::Style& style) {
  std::vector<core::terminal::Column> columns = {{.header = "node", .is_left = true},
                                                 {.header = "op", .is_left = true, .goes = 1}};
  for (const NamedCase& one : candidates) columns.push_back({.header = one.name, .is_left = true, .least = 5});
  core::terminal::FittedTable table(std::move(columns));
  const std::vector<Row> all = rows_of(candidates);
  const std::vector<Row> rows = chosen(all, detail);
  for (const Row& row : rows) {
    std::vector<std::string> cells = {row.name, row.op};
    for (const cases::NodeResult* const node : row.by) cells.push_back(cell(node));
    table.row(std::move(cells));
  }
  std::string text;
  if (!table.empty()) {
    text += "ratio of each node's error to its limit, by candidate\n";
    for (const std::string& line : table.lines(style)) text += line + '\n';
    if (const std::size_t rest = all.size() - rows.size(); rest > 0)
      text += fmt::format("... {} more passed, with no larger ratio\n", rest);
  }
  for (const NamedCase& one : candidates) text += case_line(*one.result, one.name, style);
  for (const cases::PairResult& pair : pairs)
    text += core::terminal::folded(core::terminal::printable(pair_line(pair)), style.width, "    ");
  return text;
}

}  // namespace plumb::parity::report
