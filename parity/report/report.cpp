#include "parity/report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "parity/attribution/attribution.hpp"
#include "parity/core/terminal/fitted_table.hpp"
#include "parity/core/terminal/table.hpp"
#include "parity/core/terminal/text.hpp"
#include "parity/report/headroom.hpp"
#include "parity/report/relations.hpp"
#include "parity/report/totals.hpp"

namespace plumb::parity::report {
namespace {

using Text = std::back_insert_iterator<std::string>;

/// "f16,f32->f32": the distinct dtypes of the operands, then that of the result.
std::string dtypes_of(const cases::NodeResult& node) {
  std::string in;
  std::vector<ir::DType> seen;
  for (const ir::DType dtype : node.in) {
    if (dtype == node.type.dtype || std::find(seen.begin(), seen.end(), dtype) != seen.end()) continue;
    seen.push_back(dtype);
    in += (in.empty() ? "" : ",") + std::string(ir::info(dtype).name);
  }
  const std::string out(ir::info(node.type.dtype).name);
  return in.empty() ? out : in + "->" + out;
}

std::string number(double x, const char* format = "{:.2e}") {
  if (std::isnan(x)) return "-";
  if (x == 0) return "0";
  return fmt::format(fmt::runtime(format), x);
}

double allowed_at_worst(const cases::NodeResult& node) {
  return node.gated().worst.empty() ? compare::not_computed : node.gated().worst.front().allowed;
}

std::string time_of(const std::optional<std::uint64_t>& nanoseconds) {
  return nanoseconds ? fmt::format("{:.1f}", static_cast<double>(*nanoseconds) * 1e-3) : "-";
}

bool is_compared(const cases::NodeResult& node) { return node.local.n > 0; }

/// How bad a verdict is, for the order of lines.
int rank(core::Verdict verdict) {
  switch (verdict) {
    case core::Verdict::error:
      return 0;
    case core::Verdict::failed:
      return 1;
    case core::Verdict::nondeterministic:
      return 2;
    case core::Verdict::unsupported:
      return 3;
    case core::Verdict::xpassed:
      return 4;
    case core::Verdict::mistrusted:
      return 5;
    case core::Verdict::out_of_range:
      return 5;
    case core::Verdict::xfailed:
    case core::Verdict::quarantined:
      return 6;
    case core::Verdict::fallback:
      return 7;
    case core::Verdict::passed:
      return 8;
    case core::Verdict::skipped:
      return 9;
  }
  return 10;
}

std::vector<const cases::NodeResult*> worst_first(const cases::CaseResult& result) {
  std::vector<const cases::NodeResult*> nodes;
  for (const cases::NodeResult& node : result.nodes) nodes.push_back(&node);
  const auto ratio = [](const cases::NodeResult* node) {
    const double value = node->gated().ratio();
    return std::isnan(value) ? -1.0 : value;
  };
  std::stable_sort(nodes.begin(), nodes.end(), [&](const cases::NodeResult* a, const cases::NodeResult* b) {
    if (rank(a->verdict) != rank(b->verdict)) return rank(a->verdict) < rank(b->verdict);
    return ratio(a) > ratio(b);
  });
  return nodes;
}

/// The verdict, and whether elements needed more than their limit to pass.
std::string verdict_of(const cases::NodeResult& node) {
  std::string verdict = ir::cat(ir::enum_name(node.verdict), node.is_of_plain_run ? " in the plain run" : "");
  if (node.placement == ir::Placement::foreign && node.group > 1) verdict += ir::cat(" (", node.group, " nodes)");
  if (node.verdict != core::Verdict::passed || node.settled.replayed + node.settled.wide == 0) return verdict;
  return verdict + (node.settled.wide == 0 ? " (replayed)" : " (wide)");
}

core::terminal::Colour colour_of(core::Verdict verdict) {
  if (rank(verdict) <= rank(core::Verdict::nondeterministic)) return core::terminal::Colour::red;
  if (verdict == core::Verdict::xpassed) return core::terminal::Colour::red;
  const bool is_doubtful = rank(verdict) < rank(core::Verdict::xfailed) || verdict == core::Verdict::fallback ||
                           verdict == core::Verdict::quarantined;
  return is_doubtful ? core::terminal::Colour::yellow : core::terminal::Colour::none;
}

/// The columns, and which go first where a screen is too narrow for all.
core::terminal::FittedTable table_of(const std::vector<const cases::NodeResult*>& nodes, Times times, bool has_steps,
                                     Headroom headroom) {
  const bool has_expected =
      std::ranges::any_of(nodes, [](const cases::NodeResult* node) { return node->expected.has_value(); });
  std::vector<core::terminal::Column> columns = {
      {.header = "node", .is_left = true},
      {.header = "op", .is_left = true, .goes = 9},
      {.header = "dtype", .is_left = true, .goes = 8},
      {.header = "error", .least = 9},
      {.header = "ratio", .least = 8, .gap = 1},
      {.header = "ulp", .least = 9, .gap = 1, .goes = 5},
      {.header = "allowed", .least = 9, .gap = 1, .goes = 7},
      {.header = "inherited", .least = 9, .gap = 1, .goes = 4},
      {.header = "amp", .least = 8, .gap = 1, .goes = 3},
      {.header = "place", .is_left = true, .least = 6, .goes = 2},
      {.header = times == Times::of_first_run ? "1st us" : "us", .least = 9, .gap = 1, .goes = 1}};
  if (has_expected) columns.push_back({.header = "from file", .least = 9, .gap = 1, .goes = 6});
  if (headroom == Headroom::shown) columns.push_back({.header = "headroom", .least = 8, .gap = 1});
  if (has_steps) columns.push_back({.header = "step", .least = 4, .gap = 1});
  columns.push_back({.header = "verdict", .is_left = true});
  core::terminal::FittedTable table(std::move(columns));
  for (const cases::NodeResult* const node : nodes) {
    std::vector<std::string> cells = {node->name(),
                                      std::string(node->op),
                                      dtypes_of(*node),
                                      number(node->gated().max_abs.value),
                                      is_compared(*node) ? number(node->gated().ratio(), "{:.3f}") : "-",
                                      core::terminal::short_number(node->gated().max_ulp.value),
                                      number(allowed_at_worst(*node)),
                                      number(node->inherited.max_abs.value),
                                      core::terminal::short_number(node->amplification),
                                      std::string(ir::enum_name(node->placement)),
                                      time_of(node->device_ns)};
    if (has_expected) cells.push_back(node->expected ? number(node->expected->max_abs.value) : "-");
    if (headroom == Headroom::shown) cells.push_back(headroom_cell(*node));
    if (has_steps) cells.push_back(fmt::format("{}", node->step));
    cells.push_back(verdict_of(*node));
    table.row(std::move(cells), colour_of(node->verdict));
  }
  return table;
}

/// Lines of text as the style has them.
std::string shown(std::string_view text, const core::terminal::Style& style, std::string_view indent = "    ") {
  return core::terminal::folded(core::terminal::printable(text), style.width, indent);
}

/// The details of a node, which follow its line.
std::string details_of(const cases::NodeResult& node, const core::terminal::Style& style) {
  std::string text;
  const Text out(text);
  if (node.settled.out_of_range > 0 && node.verdict != core::Verdict::out_of_range)
    fmt::format_to(out, "    {} of {} elements are not judged: intermediate results leave the range of the type\n",
                   node.settled.out_of_range, node.local.n);
  if (const cases::Units& units = node.units; units.flagged + units.untraced > 0)
    fmt::format_to(
        out, "    {} of its {} are not judged: {}\n", units.flagged + units.untraced,
        units.are_elements() ? "elements" : "units",
        units.untraced > 0 ? "nobody kept what they were made of" : "more choices are open than can be tried");
  if (node.units.decisions.free > 0)
    fmt::format_to(out, "    {} of {} choices are not the truth's, each within its limit\n", node.units.decisions.free,
                   node.units.decisions.count);
  if (!node.why.empty() && node.verdict != core::Verdict::skipped) fmt::format_to(out, "    {}\n", node.why);
  if (const std::string where = cases::to_text(node.patterns, node.kernel, node.tile); !where.empty())
    fmt::format_to(out, "    pattern: {}\n", where);
  text = shown(text, style);
  const bool shows_repro = rank(node.verdict) <= rank(core::Verdict::nondeterministic);
  if (shows_repro && !node.repro.empty()) text += core::terminal::printable("    repro: " + node.repro + "\n");
  return text;
}

/// The nodes that the table shows, of all of them worst first.
std::vector<const cases::NodeResult*> shown_of(const std::vector<const cases::NodeResult*>& nodes, Detail detail) {
  constexpr std::size_t worst_shown = 12;
  std::vector<const cases::NodeResult*> shown;
  std::size_t passed = 0;
  for (const cases::NodeResult* node : nodes) {
    const bool is_passed = node->verdict == core::Verdict::passed;
    const bool is_among_worst = detail == Detail::worst && is_passed && passed++ < worst_shown;
    if (detail == Detail::all || !core::is_fine(node->verdict) || is_among_worst) shown.push_back(node);
  }
  return shown;
}

/// "expected y: passed | ratio 0.21 of 8 sign runs at f32"
void write_expected(Text out, const cases::ExpectedResult& one) {
  fmt::format_to(out, "expected '{}': {} | ratio {}", one.value, ir::enum_name(one.verdict),
                 number(one.comparison.ratio(), "{:.3f}"));
  if (one.rule == cases::ExpectedRule::end_to_end)
    fmt::format_to(out, " of the limit by {} runs with other roundings at {}", one.runs, one.precision);
  else
    fmt::format_to(out, " of rtol {:g}, atol {:g}", one.relative, one.absolute);
  if (one.n_flagged > 0)
    fmt::format_to(out, " | {} of {} elements hang on roundings, which leave each some values", one.n_flagged,
                   one.comparison.n);
  fmt::format_to(out, "{}{}\n", one.why.empty() ? "" : "\n    ", one.why);
}

/// Where the graph compiled for its results alone is not what was watched.
void write_plain(Text out, const cases::PlainRun& plain, Detail detail) {
  const bool is_quiet = plain.plain == cases::Plain::equal || plain.plain == cases::Plain::not_run;
  if (is_quiet && (detail != Detail::all || plain.kernels.empty())) return;
  fmt::format_to(out, "plain run: {}{}{}\n", ir::enum_name(plain.plain), plain.why.empty() ? "" : ": ", plain.why);
  constexpr std::size_t shown = 8;
  const std::size_t count = detail == Detail::all ? plain.kernels.size() : std::min(shown, plain.kernels.size());
  for (const cases::OtherKernel& one : std::span(plain.kernels).first(count))
    fmt::format_to(out, "    {}: {} there, {} where it is watched\n", one.node, one.plain, one.watched);
}

/// How much of the truth was held to the definitions of the ops.
void write_oracles(Text out, const cases::CaseResult& result) {
  std::size_t asked = 0, nodes = 0, bad = 0;
  for (const cases::NodeResult& node : result.nodes) {
    asked += node.oracle.asked;
    bad += node.oracle.bad;
    nodes += node.oracle.asked > 0 ? 1 : 0;
  }
  if (asked == 0) return;
  fmt::format_to(out, "oracles: {} elements of {} nodes were evaluated again, {} bad\n", asked, nodes, bad);
}

/// The line about nodes that the table leaves out; "" where it has all.
std::string rest_of(const std::vector<const cases::NodeResult*>& nodes, std::size_t shown) {
  const auto skipped = static_cast<std::size_t>(std::ranges::count_if(
      nodes, [](const cases::NodeResult* node) { return node->verdict == core::Verdict::skipped; }));
  const std::size_t left_out = nodes.size() - shown;
  if (left_out == 0) return "";
  std::string text;
  if (left_out > skipped) text = fmt::format("{} more passed, with no larger ratio", left_out - skipped);
  if (skipped > 0) text += fmt::format("{}{} skipped", text.empty() ? "" : "; ", skipped);
  return "... " + text + "\n";
}

constexpr char glue = '\x1f';  // stands for a space at which no line is broken; text that may be shown has none

/// Another part of the totals, which stays in one line: no number stands apart from its unit.
template <class... Args>
void add_part(std::string& text, fmt::format_string<Args...> format, Args&&... args) {
  std::string part = fmt::format(format, std::forward<Args>(args)...);
  std::ranges::replace(part, ' ', glue);
  text += (text.empty() ? "" : " ") + part;
}

}  // namespace

std::string case_line(const cases::CaseResult& result, const std::string& called, const core::terminal::Style& style) {
  std::map<core::Verdict, std::size_t> counts;
  double worst = compare::not_computed;
  for (const cases::NodeResult& node : result.nodes) {
    ++counts[node.verdict];
    if (is_compared(node)) worst = std::fmax(worst, node.gated().ratio());
  }
  const std::string name = core::terminal::printable(called) + ": ", verdict(ir::enum_name(result.verdict));
  std::string text;
  add_part(text, "{}{}", name, verdict);
  add_part(text, "| {}:", core::terminal::counted(result.nodes.size(), "node"));
  for (const auto& [one, count] : counts) add_part(text, "{} {}", count, ir::enum_name(one));
  if (!result.coverage.reaches({1, 1})) {
    add_part(text, "| verified {:.0f} % of FLOPs,", std::floor(100 * result.coverage.flops));
    add_part(text, "{:.0f} % of elements", std::floor(100 * result.coverage.elements));
  }
  add_part(text, "| max ratio {}", number(worst, "{:.3f}"));
  add_part(text, "| seed {}", result.subject.seed);
  add_part(text, "| {:.2f} s\n", result.wall_seconds);
  text = core::terminal::folded(text, style.width, "    ");
  std::ranges::replace(text, glue, ' ');
  // The name and the verdict begin the first line; colour takes no columns.
  return name + core::terminal::coloured(verdict, colour_of(result.verdict), style) +
         text.substr(name.size() + verdict.size());
}

std::string to_table(const cases::CaseResult& result, Detail detail, const core::terminal::Style& style, Times times,
                     Headroom headroom) {
  std::string text;
  if (!result.message.empty()) {
    // The message of a file's reader starts with the file's name already.
    const bool is_named = result.message.starts_with(result.subject.name);
    text = shown(
        ir::cat(is_named ? "" : result.subject.name + ": ", ir::enum_name(result.verdict), ": ", result.message, '\n'),
        style);
    if (result.nodes.empty()) return text;
  }
  const auto nodes = worst_first(result);
  const auto in_table = shown_of(nodes, detail);
  if (!in_table.empty()) {
    core::terminal::Style table_style = style;
    if (detail == Detail::all) table_style.width = core::terminal::unlimited;
    const bool has_steps = std::ranges::any_of(nodes, [](const cases::NodeResult* node) { return node->step != 0; });
    const auto lines = table_of(in_table, times, has_steps, headroom).lines(table_style);
    text += lines[0] + '\n';
    for (std::size_t n = 0; n < in_table.size(); ++n) text += lines[n + 1] + '\n' + details_of(*in_table[n], style);
  }
  std::string below = rest_of(nodes, in_table.size());
  const Text out(below);
  if (const auto guilty = attribution::guilty_text(result); !guilty.empty())
    fmt::format_to(out, "first guilty: {}\n", guilty);
  below += totals_text(result) + attribution::totals_text(result) + attribution::blame_text(result);
  if (headroom == Headroom::shown) below += headroom_text(result);
  below += relations_text(result.relations, detail == Detail::all);
  write_plain(out, result.plain, detail);
  if (detail == Detail::all) write_oracles(out, result);
  for (const cases::ExpectedResult& one : result.expected) write_expected(out, one);
  for (const std::string& note : result.notes) fmt::format_to(out, "note: {}\n", note);
  return text + shown(below, style) + case_line(result, result.subject.name, style);
}

std::string summary_line(std::span<const cases::CaseResult> cases) {
  std::map<core::Verdict, std::size_t> counts;
  std::size_t nodes = 0;
  for (const cases::CaseResult& result : cases) {
    ++counts[result.verdict];
    nodes += result.nodes.size();
  }
  std::string text =
      core::terminal::counted(cases.size(), "case") + ", " + core::terminal::counted(nodes, "node") + ":";
  for (const auto& [verdict, count] : counts) text += fmt::format(" {} {}", count, ir::enum_name(verdict));
  return text;
}

}  // namespace plumb::parity::report
