// One node of a case as text, with everything that is known of it.
#include "parity/report/node_report.hpp"

#include <fmt/format.h>

#include <cmath>

#include "ir/error.hpp"
#include "parity/attribution/attribution.hpp"
#include "parity/core/terminal/table.hpp"
#include "parity/core/terminal/text.hpp"

namespace plumb::parity::report {
namespace {

using core::terminal::short_number;

/// Writes the lines of one node, each with what it is about in front.
class NodeText {
 public:
  NodeText(const cases::CaseResult& result, const cases::NodeResult& node, const core::terminal::Style& style)
      : result_(result), node_(node), style_(style) {}

  std::string text() {
    add_head();
    add_work();
    add_part(node_.gates_total ? "local" : "local, judged", node_.local);
    add_part("inherited", node_.inherited);
    add_part(node_.gates_total && !node_.converted ? "total, judged" : "total", node_.total);
    if (node_.converted) add_part(node_.gates_total ? "conv., judged" : "converted", *node_.converted);
    if (node_.expected) add_part("from file", *node_.expected);
    add_worst();
    add_special();
    add_spread();
    add_samples();
    for (const cases::Pattern& pattern : node_.patterns) add("pattern", pattern.text);
    if (!node_.repro.empty()) text_ += fmt::format("  {:<14}{}\n", "again", core::terminal::printable(node_.repro));
    return std::move(text_);
  }

 private:
  static constexpr std::size_t column = 16;

  void add(std::string_view about, const std::string& said) {
    if (said.empty()) return;
    text_ += core::terminal::fitted(core::terminal::printable(fmt::format("  {:<14}{}\n", about, said)), style_.width,
                                    column);
  }

  void add_head() {
    text_ += core::terminal::printable(fmt::format("{}: {}, {}, {}{}\n", node_.name(), node_.op, ir::cat(node_.type),
                                                   ir::enum_name(node_.verdict),
                                                   node_.is_of_plain_run ? " in the plain run" : ""));
    add("why", node_.why);
  }

  void add_work() {
    const auto with = attribution::fused_into(result_, node_);
    if (!with.empty()) add("with", fmt::format("{}, fused into it", fmt::join(with, ", ")));
    add("operands", operands());
    std::string kernel = node_.kernel;
    if (!node_.tile.empty()) kernel += " " + node_.tile;
    kernel += fmt::format("{}on {}", kernel.empty() ? "" : ", ", ir::enum_name(node_.placement));
    const auto milliseconds = [](std::uint64_t ns) { return short_number(static_cast<double>(ns) * 1e-6) + " ms"; };
    if (node_.device_ns) kernel += ", " + milliseconds(*node_.device_ns);
    if (node_.reference_ns) kernel += "; the reference took " + milliseconds(*node_.reference_ns);
    add("kernel", kernel);
    for (const ir::Sum& sum : node_.sums) add("sum", text_of_sum(sum));
  }

  std::string operands() const {
    if (!result_.subject.file) return "";
    const ir::Graph& graph = result_.subject.file->graph;
    std::string text;
    for (const ir::Value v : graph.nodes()[node_.node].inputs) {
      const std::string_view given = v < graph.inputs().size() ? "input" : "param";
      const auto from = graph.producer(v);
      text += fmt::format("{}{} {} ({})", text.empty() ? "" : ", ", graph.name(v), ir::cat(graph.type(v)),
                          from ? graph.nodes()[*from].op.name() : given);
    }
    return text;
  }

  void add_part(std::string_view about, const compare::Comparison& c) {
    if (c.n == 0) return;
    std::string said = core::terminal::counted(c.n, "element");
    if (c.n_bad > 0) said += fmt::format(", {} beyond their limits", c.n_bad);
    if (c.n_apart > 0) said += fmt::format(", {} not judged", c.n_apart);
    if (c.n_nan_expected + c.n_nan_got > 0)
      said += fmt::format(", NaN {} due, {} given", c.n_nan_expected, c.n_nan_got);
    if (c.n_inf_expected + c.n_inf_got > 0)
      said += fmt::format(", infinities {} due, {} given", c.n_inf_expected, c.n_inf_got);
    said += fmt::format("; largest error {}", short_number(c.max_abs.value));
    if (!std::isnan(c.ratio())) said += fmt::format(", {} of a limit", short_number(c.ratio()));
    said += fmt::format(", {} ulp; rms {}, mean {}, relative {}", short_number(c.max_ulp.value), short_number(c.rms),
                        short_number(c.mean_signed), short_number(c.rel_l2));
    add(about, said);
  }

  void add_worst() {
    const std::vector<std::uint64_t> extents(node_.type.shape.begin(), node_.type.shape.end());
    for (const compare::Worst& one : node_.gated().worst)
      add("element", fmt::format("{}: truth {:.9g}, device {:.9g}, off by {}, allowed {}",
                                 core::terminal::place_text(one.index, extents), one.expected, one.got,
                                 short_number(std::abs(one.got - one.expected)), short_number(one.allowed)));
  }

  /// How many errors are of which size.
  void add_spread() {
    const auto edges = compare::ulp_edges();
    const auto& counts = node_.local.hist_ulp;
    constexpr std::size_t half = compare::Comparison::ulp_bins / 2;
    std::string said;
    for (std::size_t k = 0; k < half; ++k) {
      const std::uint64_t count = counts[half + k] + counts[half - 1 - k];  // both signs count
      if (count == 0) continue;
      said += said.empty() ? "" : ", ";
      said += k == 0 ? fmt::format("{} below {}", count, short_number(edges[half + 1]))
                     : fmt::format("{} from {}", count, short_number(edges[half + k]));
    }
    add("ulps", said);
  }

  void add_special() {
    if (node_.special.of <= cases::Special::none) return;
    const std::vector<std::uint64_t> extents(node_.type.shape.begin(), node_.type.shape.end());
    add("special", fmt::format("{}, first {}", ir::enum_name(node_.special.of),
                               core::terminal::place_text(node_.special.at, extents)));
  }

  void add_samples() {
    if (!std::isnan(node_.sensitivity.share))
      add("sensitivity", fmt::format("{:.3g} % of a sample would notice a small fault", 100 * node_.sensitivity.share));
    if (node_.oracle.asked > 0)
      add("definition", fmt::format("{} of the truth asked, {} bad",
                                    core::terminal::counted(node_.oracle.asked, "element"), node_.oracle.bad));
    if (node_.replays.asked > 0)
      add("replayed",
          fmt::format("{} of {} elements bit for bit as its sums say", node_.replays.equal, node_.replays.asked));
    if (!std::isnan(node_.statistics.bits_accumulator))
      add("rounds as", fmt::format("an accumulator of {:.3g} bits", node_.statistics.bits_accumulator));
    if (!std::isnan(node_.statistics.misrounded))
      add("misrounded", fmt::format("{:.3g} % of the results, by chance up to {:.3g} %",
                                    100 * node_.statistics.misrounded, 100 * node_.statistics.misrounded_bound));
    if (!std::isnan(node_.amplification))
      add("amplifies", fmt::format("errors of its operands {} times", short_number(node_.amplification)));
    if (node_.hash) add("hash", fmt::format("{:016x}", *node_.hash));
  }

  const cases::CaseResult& result_;
  const cases::NodeResult& node_;
  const core::terminal::Style style_;
  std::string text_;
};

}  // namespace

std::string text_of_sum(const ir::Sum& sum) {
  std::string text =
      fmt::format("{} in {} by {}", ir::enum_name(sum.of), ir::info(sum.accumulator).name, ir::enum_name(sum.unit));
  for (const ir::SumLevel& level : sum.levels)
    text += fmt::format(", {} {} {}{}", level.count == 0 ? "all" : std::to_string(level.count),
                        ir::enum_name(level.take), ir::enum_name(level.join), level.compensated ? " compensated" : "");
  return sum.order == "contract" ? text : fmt::format("{}, {}", text, sum.order);
}

std::string node_text(const cases::CaseResult& result, const cases::NodeResult& node,
                      const core::terminal::Style& style) {
  return NodeText(result, node, style).text();
}

}  // namespace plumb::parity::report
