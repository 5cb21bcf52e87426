#include "parity/report/report.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <map>

#include "parity/attribution/attribution.hpp"
#include "parity/core/table.hpp"
#include "parity/patterns/explain.hpp"
#include "parity/relations/relation_report.hpp"

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

struct Widths {
  std::size_t name = 4, op = 2, dtype = 5;
  bool has_expected = false;  ///< a column for what the file expects
};

Widths widths_of(const std::vector<const cases::NodeResult*>& nodes) {
  Widths widths;
  for (const cases::NodeResult* node : nodes) {
    widths.name = std::max(widths.name, node->name().size());
    widths.op = std::max(widths.op, node->op.size());
    widths.dtype = std::max(widths.dtype, dtypes_of(*node).size());
    widths.has_expected |= node->expected.has_value();
  }
  return widths;
}

/// The verdict, and whether elements needed more than their limit to pass.
std::string verdict_of(const cases::NodeResult& node) {
  const std::string verdict = ir::cat(ir::enum_name(node.verdict), node.is_of_plain_run ? " in the plain run" : "");
  if (node.verdict != core::Verdict::passed || node.settled.replayed + node.settled.wide == 0) return verdict;
  return verdict + (node.settled.wide == 0 ? " (replayed)" : " (wide)");
}

void write_node(Text out, const cases::NodeResult& node, const Widths& widths) {
  const auto from_file = node.expected ? number(node.expected->max_abs.value) : "-";
  fmt::format_to(out, "{:<{}}  {:<{}}  {:<{}}  {:>9} {:>8} {:>9} {:>9} {:>9} {:>8}  {:<6} {:>9}{}  {}\n", node.name(),
                 widths.name, node.op, widths.op, dtypes_of(node), widths.dtype, number(node.gated().max_abs.value),
                 is_compared(node) ? number(node.gated().ratio(), "{:.3f}") : "-",
                 core::short_number(node.gated().max_ulp.value), number(allowed_at_worst(node)),
                 number(node.inherited.max_abs.value), core::short_number(node.amplification),
                 ir::enum_name(node.placement), time_of(node.device_ns),
                 widths.has_expected ? fmt::format(" {:>9}", from_file) : "", verdict_of(node));
  if (node.settled.out_of_range > 0 && node.verdict != core::Verdict::out_of_range)
    fmt::format_to(out, "    {} of {} elements are not judged: intermediate results leave the range of the type\n",
                   node.settled.out_of_range, node.local.n);
  if (!node.why.empty() && node.verdict != core::Verdict::skipped) fmt::format_to(out, "    {}\n", node.why);
  if (const std::string where = patterns::to_text(node.patterns, node.kernel, node.tile); !where.empty())
    fmt::format_to(out, "    pattern: {}\n", where);
  const bool shows_repro = rank(node.verdict) <= rank(core::Verdict::nondeterministic);
  if (shows_repro && !node.repro.empty()) fmt::format_to(out, "    repro: {}\n", node.repro);
}

/// The nodes that the table shows, of all of them worst first.
std::vector<const cases::NodeResult*> shown_of(const std::vector<const cases::NodeResult*>& nodes, Detail detail) {
  constexpr std::size_t worst_shown = 12;
  std::vector<const cases::NodeResult*> shown;
  std::size_t passed = 0;
  for (const cases::NodeResult* node : nodes) {
    const bool is_passed = node->verdict == core::Verdict::passed;
    const bool is_among_worst = detail == Detail::worst && is_passed && passed++ < worst_shown;
    const bool is_trouble = !is_passed && node->verdict != core::Verdict::skipped;
    if (detail == Detail::all || is_trouble || is_among_worst) shown.push_back(node);
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
    fmt::format_to(out, " | {} of {} elements are not judged: a rounding may change them", one.n_flagged,
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
  for (const cases::NodeResult& node : result.nodes)
    asked += node.oracle.asked, bad += node.oracle.bad, nodes += node.oracle.asked > 0 ? 1 : 0;
  if (asked == 0) return;
  fmt::format_to(out, "oracles: {} elements of {} nodes were evaluated again, {} bad\n", asked, nodes, bad);
}

void write_totals(Text out, const cases::CaseResult& result) {
  std::map<core::Verdict, std::size_t> counts;
  double worst = compare::not_computed;
  for (const cases::NodeResult& node : result.nodes) {
    ++counts[node.verdict];
    if (is_compared(node)) worst = std::fmax(worst, node.gated().ratio());
  }
  fmt::format_to(out, "{}: {} | {} nodes:", result.subject.name, ir::enum_name(result.verdict), result.nodes.size());
  for (const auto& [verdict, count] : counts) fmt::format_to(out, " {} {}", count, ir::enum_name(verdict));
  if (!result.coverage.reaches({1, 1}))
    fmt::format_to(out, " | verified {:.0f} % of FLOPs, {:.0f} % of elements", std::floor(100 * result.coverage.flops),
                   std::floor(100 * result.coverage.elements));
  fmt::format_to(out, " | max ratio {} | seed {} | {:.2f} s\n", number(worst, "{:.3f}"), result.subject.seed,
                 result.wall_seconds);
}

}  // namespace

std::string to_table(const cases::CaseResult& result, Detail detail) {
  std::string text;
  const Text out(text);
  if (!result.message.empty()) {
    // What a reader says of a file starts with its name already.
    const bool is_named = result.message.starts_with(result.subject.name);
    fmt::format_to(out, "{}{}: {}\n", is_named ? "" : result.subject.name + ": ", ir::enum_name(result.verdict),
                   result.message);
    if (result.nodes.empty()) return text;
  }
  const auto nodes = worst_first(result);
  const auto shown = shown_of(nodes, detail);
  if (!shown.empty()) {
    const Widths widths = widths_of(shown);
    fmt::format_to(out, "{:<{}}  {:<{}}  {:<{}}  {:>9} {:>8} {:>9} {:>9} {:>9} {:>8}  {:<6} {:>9}{}  {}\n", "node",
                   widths.name, "op", widths.op, "dtype", widths.dtype, "error", "ratio", "ulp", "allowed", "inherited",
                   "amp", "place", "us", widths.has_expected ? fmt::format(" {:>9}", "from file") : "", "verdict");
    for (const cases::NodeResult* node : shown) write_node(out, *node, widths);
  }
  if (shown.size() < nodes.size()) fmt::format_to(out, "... {} more nodes, no worse\n", nodes.size() - shown.size());
  if (const auto guilty = attribution::guilty_text(result); !guilty.empty())
    fmt::format_to(out, "first guilty: {}\n", guilty);
  text += attribution::blame_text(result);
  text += relations::relations_text(result.relations, detail == Detail::all);
  write_plain(out, result.plain, detail);
  if (detail == Detail::all) write_oracles(out, result);
  for (const cases::ExpectedResult& one : result.expected) write_expected(out, one);
  for (const std::string& note : result.notes) fmt::format_to(out, "note: {}\n", note);
  write_totals(out, result);
  return text;
}

std::string summary_line(std::span<const cases::CaseResult> cases) {
  std::map<core::Verdict, std::size_t> counts;
  std::size_t nodes = 0;
  for (const cases::CaseResult& result : cases) {
    ++counts[result.verdict];
    nodes += result.nodes.size();
  }
  std::string text = fmt::format("{} cases, {} nodes:", cases.size(), nodes);
  for (const auto& [verdict, count] : counts) text += fmt::format(" {} {}", count, ir::enum_name(verdict));
  return text;
}

Progress::Progress() : is_terminal_(isatty(STDERR_FILENO) == 1), start_(Clock::now()), last_(start_) {}

Progress::~Progress() {
  if (is_drawn_) std::fputs("\r\033[K", stderr);
}

void Progress::step(std::string_view what, std::size_t done, std::size_t steps) {
  using namespace std::chrono_literals;
  const auto now = Clock::now();
  if (!is_terminal_ || now - start_ < 1s || (is_drawn_ && now - last_ < 50ms)) return;
  last_ = now;
  is_drawn_ = true;
  constexpr std::size_t width = 24;
  const std::size_t filled = steps == 0 ? 0 : width * std::min(done, steps) / steps;
  fmt::print(stderr, "\r\033[K[{:=<{}}{: <{}}] {}/{} {}", "", filled, "", width - filled, done, steps,
             what.substr(0, 60));
  std::fflush(stderr);
}

}  // namespace plumb::parity::report
