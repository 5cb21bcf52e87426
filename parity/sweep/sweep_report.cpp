// The report on a sweep over precisions as two tables: by variant, and by node.
#include <fmt/format.h>

#include <algorithm>

#include "ir/attribute.hpp"
#include "parity/sweep/sweep.hpp"
#include "parity/terminal/fitted_table.hpp"
#include "parity/terminal/table.hpp"
#include "parity/terminal/text.hpp"

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

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

}  // namespace

std::string to_text(const SweepResult& result, const terminal::Style& style) {
  terminal::FittedTable table({{.header = "precision", .is_left = true},
                               {.header = "choice", .is_left = true},
                               {.header = "output", .is_left = true},
                               {.header = "nodes"},
                               {.header = "flops", .goes = 1},
                               {.header = "max error", .goes = 2},
                               {.header = "rel_l2"},
                               {.header = "max ratio", .goes = 3},
                               {.header = "device us", .goes = 4},
                               {.header = "verdict", .is_left = true}});
  std::string notes;
  for (const SweepRow& row : result.rows) {
    const std::string precision(ir::enum_name(row.precision));
    if (!row.unsupported.empty()) {
      table.row({precision, "", "", "", "", "", "", "", "", "unsupported"});
      notes += fmt::format("{}: {}\n", precision, row.unsupported);
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
  return joined(table.lines(style)) + terminal::fitted(terminal::printable(notes), style.width);
}

std::string nodes_text(const SweepResult& result, const terminal::Style& style) {
  terminal::FittedTable table({{.header = "node", .is_left = true},
                               {.header = "op", .is_left = true, .goes = 4},
                               {.header = "MFLOP", .goes = 2},
                               {.header = "columns", .goes = 1},
                               {.header = "saves us"},
                               {.header = "rel_l2 alone"},
                               {.header = "oscillation", .goes = 3},
                               {.header = "by oscillation", .goes = 5},
                               {.header = "by bound"}});
  for (const Candidate& one : result.candidates)
    table.row({one.label, one.op, fmt::format("{:.3g}", 1e-6 * one.flops), std::to_string(one.columns),
               one.saved_ns ? fmt::format("{:.1f}", 1e-3 * *one.saved_ns) : "-",
               terminal::short_number(worst(one.errors)),
               terminal::short_number(one.oscillation.value_or(compare::not_computed)),
               taken_by(result, Choice::oscillation, one.label), taken_by(result, Choice::bound, one.label)});
  return joined(table.lines(style));
}

}  // namespace plumb::parity::sweep
