// The report on a sweep over precisions as two tables: by variant, and by node.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "ir/attribute.hpp"
#include "parity/core/terminal/fitted_table.hpp"
#include "parity/core/terminal/table.hpp"
#include "parity/core/terminal/text.hpp"
#include "parity/studies/sweep/sweep.hpp"

namespace plumb::parity::studies::sweep {
namespace {

std::string share_of(const SweepRow& row, const SweepResult& result) {
  return fmt::format("{}/{}", row.plan.size(), result.candidates.size());
}

double worst(const std::vector<double>& errors) {
  return errors.empty() ? compare::not_computed : std::ranges::max(errors);
}

/// "yes", or "no" for a node that the row's plan leaves in f32; "" when there is no such row.
std::string taken_by(const SweepResult& result, Choice choice, const std::string& label) {
  const auto row = std::ranges::find_if(
      result.rows, [&](const SweepRow& one) { return one.choice == choice && !one.stored && one.unsupported.empty(); });
  return row == result.rows.end() ? "" : row->plan.contains(label) ? "yes" : "no";
}

std::string precision_of(const SweepRow& row) {
  if (row.is_given) return "plan";
  return std::string(row.stored ? ir::info(*row.stored).name : ir::enum_name(row.precision));
}

std::string number(double x) { return std::isnan(x) ? "-" : fmt::format("{:.2e}", x); }

/// A share that is not all is never said to be 100 %.
std::string percent(double share) {
  return std::isnan(share) ? "-" : fmt::format("{:.1f} %", std::floor(1000 * share) / 10);
}

/// A column of the table, and what it says of output `k` of a row.
struct Cell {
  core::terminal::Column column;
  std::function<std::string(const SweepRow& row, std::size_t k)> text;
};

/// A cell that has text once for a row.
auto once(std::function<std::string(const SweepRow&)> text) {
  return [text = std::move(text)](const SweepRow& row, std::size_t k) {
    return k == 0 && row.unsupported.empty() ? text(row) : std::string();
  };
}

/// A cell that has text for each output.
auto each(std::function<std::string(const OutputErrors&)> text) {
  return [text = std::move(text)](const SweepRow& row, std::size_t k) {
    return row.unsupported.empty() ? text(row.outputs[k]) : std::string();
  };
}

std::vector<Cell> cells_of(const SweepResult& result) {
  using Error = OutputError;
  const auto choice = [&](const SweepRow& row) { return choice_of(row, result); };
  const auto nodes = [&](const SweepRow& row) { return row.stored ? "all" : share_of(row, result); };
  const auto flops = [](const SweepRow& row) { return row.stored ? "-" : fmt::format("{:.0f} %", 100 * row.share); };
  const auto time = [](const SweepRow& row) {
    return row.device_ns ? fmt::format("{:.1f}", 1e-3 * static_cast<double>(*row.device_ns)) : "-";
  };
  const auto largest = [](double Error::*measure) {
    return each([measure](const OutputErrors& output) { return number(output.largest(measure)); });
  };
  const auto snr = [](const OutputErrors& output) {
    const double rel_l2 = output.largest(&Error::rel_l2);
    return std::isnan(rel_l2) ? "-" : fmt::format("{:.1f}", snr_db(rel_l2));
  };
  const auto cosine = [](const OutputErrors& output) {
    const double least = output.smallest(&Error::cosine);
    return std::isnan(least) ? "-" : fmt::format("{:.7f}", least);
  };
  std::vector<Cell> cells = {
      {{.header = "precision", .is_left = true},
       [](const SweepRow& row, std::size_t k) { return k == 0 ? precision_of(row) : ""; }},
      {{.header = "choice", .is_left = true}, once(choice)},
      {{.header = "output", .is_left = true}, each([](const OutputErrors& output) { return output.name; })},
      {{.header = "nodes"}, once(nodes)},
      {{.header = "flops", .goes = 1}, once(flops)},
      {{.header = "max error", .goes = 2}, largest(&Error::max_abs)},
      {{.header = "rel_l2"}, largest(&Error::rel_l2)}};
  if (result.samples > 1)
    cells.push_back({{.header = "median", .goes = 9},
                     each([](const OutputErrors& output) { return number(output.median(&Error::rel_l2)); })});
  if (std::ranges::any_of(result.rows, [](const SweepRow& row) { return row.stored.has_value(); }))
    cells.push_back({{.header = "converted", .goes = 7}, largest(&Error::converted)});
  cells.push_back({{.header = "SNR dB", .goes = 5}, each(snr)});
  cells.push_back({{.header = "cosine", .goes = 3}, each(cosine)});
  cells.push_back({{.header = "top-1", .goes = 6},
                   each([](const OutputErrors& output) { return percent(output.smallest(&Error::top1)); })});
  cells.push_back({{.header = "max ratio", .goes = 8},
                   once([](const SweepRow& row) { return core::terminal::short_number(row.max_ratio); })});
  cells.push_back({{.header = "device us", .goes = 4}, once(time)});
  cells.push_back({{.header = "verdict", .is_left = true}, [](const SweepRow& row, std::size_t k) {
                     if (!row.unsupported.empty()) return std::string("unsupported");
                     return k == 0 ? std::string(ir::enum_name(row.verdict)) : "";
                   }});
  return cells;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  return text;
}

}  // namespace

std::string choice_of(const SweepRow& row, const SweepResult& result) {
  if (row.stored) return "stored";
  if (row.is_given) return "given";
  const auto budgets = std::ranges::count_if(result.rows, [](const SweepRow& one) { return one.budget.has_value(); });
  const std::string name(ir::enum_name(row.choice));
  return row.budget && budgets > 1 ? fmt::format("{} {:g}", name, *row.budget) : name;
}

std::string to_text(const SweepResult& result, const core::terminal::Style& style) {
  std::vector<core::terminal::Column> columns;
  for (const Cell& cell : cells_of(result)) columns.push_back(cell.column);
  core::terminal::FittedTable table(std::move(columns));
  std::string notes;
  for (const SweepRow& row : result.rows) {
    if (!row.unsupported.empty()) notes += fmt::format("{}: {}\n", precision_of(row), row.unsupported);
    const std::size_t lines = row.unsupported.empty() ? row.outputs.size() : 1;
    for (std::size_t k = 0; k < lines; ++k) {
      std::vector<std::string> texts;
      for (const Cell& cell : cells_of(result)) texts.push_back(cell.text(row, k));
      table.row(std::move(texts));
    }
  }
  if (result.samples > 1)
    notes += fmt::format("errors are the worst of {} samples, median that of rel_l2\n", result.samples);
  return joined(table.lines(style)) + core::terminal::fitted(core::terminal::printable(notes), style.width);
}

std::string nodes_text(const SweepResult& result, const core::terminal::Style& style) {
  core::terminal::FittedTable table({{.header = "node", .is_left = true},
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
               core::terminal::short_number(worst(one.errors)),
               core::terminal::short_number(one.oscillation.value_or(compare::not_computed)),
               taken_by(result, Choice::oscillation, one.label), taken_by(result, Choice::bound, one.label)});
  return joined(table.lines(style));
}

}  // namespace plumb::parity::studies::sweep
