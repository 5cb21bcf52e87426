// The report on a sweep over precisions as two tables: by variant, and by node.
#include <fmt/format.h>

#include <algorithm>

#include "ir/attribute.hpp"
#include "parity/sweep/sweep.hpp"
#include "parity/terminal/table.hpp"

namespace plumb::parity::sweep {
namespace {

std::string share_of(const SweepRow& row, const SweepResult& result) {
  return fmt::format("{}/{}", row.plan.size(), result.candidates.size());
}

double worst(const std::vector<double>& errors) {
  return errors.empty() ? compare::not_computed : std::ranges::max(errors);
}

/// "yes", or "no" for a node that the row's plan leaves in f32; "" when there is no such row.
std::string taken_by(const SweepResult& result, Choice choice, const std::string& label) {
  const auto row = std::ranges::find(result.rows, choice, &SweepRow::choice);
  return row == result.rows.end() ? "" : row->plan.contains(label) ? "yes" : "no";
}

}  // namespace

std::string to_text(const SweepResult& result) {
  terminal::TextTable table(
      {"precision", "choice", "output", "nodes", "flops", "max error", "rel_l2", "max ratio", "device us", "verdict"},
      3);
  for (const SweepRow& row : result.rows) {
    const std::string precision(ir::enum_name(row.precision));
    if (!row.unsupported.empty()) {
      table.row({precision, "", "", "", "", "", "", "", "", "unsupported"});
      table.note(row.unsupported);
      continue;
    }
    const std::string choice(ir::enum_name(row.choice));
    for (std::size_t k = 0; k < row.outputs.size(); ++k) {
      const OutputError& output = row.outputs[k];
      const std::string errors[] = {fmt::format("{:.2e}", output.max_abs), fmt::format("{:.2e}", output.rel_l2)};
      if (k > 0) {
        table.row({"", "", output.name, "", "", errors[0], errors[1], "", "", ""});
        continue;
      }
      table.row({precision, choice, output.name, share_of(row, result), fmt::format("{:.0f} %", 100 * row.share),
                 errors[0], errors[1], terminal::short_number(row.max_ratio),
                 row.device_ns ? fmt::format("{:.1f}", 1e-3 * static_cast<double>(*row.device_ns)) : "-",
                 std::string(ir::enum_name(row.verdict))});
    }
  }
  return table.text();
}

std::string nodes_text(const SweepResult& result) {
  terminal::TextTable table(
      {"node", "op", "MFLOP", "columns", "saves us", "rel_l2 alone", "oscillation", "by oscillation", "by bound"}, 2);
  for (const Candidate& one : result.candidates)
    table.row({one.label, one.op, fmt::format("{:.3g}", 1e-6 * one.flops), std::to_string(one.columns),
               one.saved_ns ? fmt::format("{:.1f}", 1e-3 * *one.saved_ns) : "-",
               terminal::short_number(worst(one.errors)),
               terminal::short_number(one.oscillation.value_or(compare::not_computed)),
               taken_by(result, Choice::oscillation, one.label), taken_by(result, Choice::bound, one.label)});
  return table.text();
}

}  // namespace plumb::parity::sweep
