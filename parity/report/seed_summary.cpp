// The table of many seeds: for each node the median and the largest ratio, the seed that had it, and its verdicts.
#include "parity/report/seed_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "ir/attribute.hpp"
#include "parity/core/terminal/fitted_table.hpp"
#include "parity/core/terminal/table.hpp"
#include "parity/core/terminal/text.hpp"

namespace plumb::parity::report {
namespace {

std::string counts_of(const std::map<core::Verdict, std::size_t>& verdicts) {
  std::string text;
  for (const auto& [verdict, count] : verdicts)
    text += fmt::format("{}{} {}", text.empty() ? "" : " ", count, ir::enum_name(verdict));
  return text;
}

double median(std::vector<double> values) {
  if (values.empty()) return compare::not_computed;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace

void SeedSummary::add(const cases::CaseResult& result) {
  add_case(result.subject.name, result.verdict);
  for (const cases::NodeResult& one : result.nodes)
    if (one.hash)
      add_output({one.node, one.output, one.name(), std::string(one.op), one.verdict, one.local.ratio(),
                  one.local.max_ulp.value},
                 result.subject.seed);
}

void SeedSummary::add_case(const std::string& name, core::Verdict verdict) {
  name_ = name;
  ++cases_[verdict];
}

void SeedSummary::add_output(const Output& output, std::uint64_t seed) {
  Node& node = nodes_[{output.node, output.output}];
  node.name = output.name;
  node.op = output.op;
  ++node.verdicts[output.verdict];
  if (!std::isnan(output.ratio)) node.ratios.push_back(output.ratio);
  if (output.ratio > node.max_ratio || (std::isnan(node.max_ratio) && !std::isnan(output.ratio))) {
    node.max_ratio = output.ratio;
    node.worst_seed = seed;
  }
  node.max_ulp = std::fmax(node.max_ulp, output.ulp);
}

bool SeedSummary::Node::always_passed() const {
  return std::ranges::all_of(verdicts, [](const auto& entry) { return core::is_fine(entry.first); });
}

std::vector<const SeedSummary::Node*> SeedSummary::shown(Detail detail) const {
  constexpr std::size_t most = 12;
  std::vector<const Node*> nodes;
  for (const auto& [place, node] : nodes_) nodes.push_back(&node);
  if (detail == Detail::all) return nodes;
  const auto size = [](const Node* node) { return std::isnan(node->max_ratio) ? -1 : node->max_ratio; };
  std::ranges::stable_sort(nodes, std::greater(), size);
  std::ranges::stable_sort(nodes, std::less(), &Node::always_passed);
  const auto troubled = static_cast<std::size_t>(std::ranges::count_if(nodes, std::not_fn(&Node::always_passed)));
  nodes.resize(std::min(nodes.size(), detail == Detail::verdicts ? troubled : std::max(troubled, most)));
  return nodes;
}

std::string SeedSummary::table(Detail detail, const core::terminal::Style& style) const {
  const std::vector<const Node*> nodes = shown(detail);
  if (nodes.empty()) return "";
  core::terminal::FittedTable table({{.header = "node", .is_left = true},
                                     {.header = "op", .is_left = true, .goes = 3},
                                     {.header = "median ratio", .goes = 2},
                                     {.header = "max ratio"},
                                     {.header = "at seed"},
                                     {.header = "max ulp", .goes = 1},
                                     {.header = "verdicts", .is_left = true}});
  for (const Node* const node : nodes)
    table.row({node->name, node->op, core::terminal::short_number(median(node->ratios)),
               core::terminal::short_number(node->max_ratio),
               node->ratios.empty() ? "-" : std::to_string(node->worst_seed),
               core::terminal::short_number(node->max_ulp), counts_of(node->verdicts)});
  std::string text;
  for (const std::string& line : table.lines(style)) text += line + '\n';
  if (detail == Detail::worst && nodes.size() < nodes_.size())
    text += fmt::format("... {} more passed, with no larger ratio\n", nodes_.size() - nodes.size());
  return text;
}

std::string SeedSummary::cases() const { return counts_of(cases_); }

std::string SeedSummary::text(Detail detail, const core::terminal::Style& style) const {
  std::size_t seeds = 0;
  for (const auto& [verdict, count] : cases_) seeds += count;
  return table(detail, style) + fmt::format("{}: {} seeds: {}\n", core::terminal::printable(name_), seeds, cases());
}

}  // namespace plumb::parity::report
