// The table of many seeds: for each node the median and the largest ratio, the seed that had it, and its verdicts.
#include "parity/report/seed_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ir/attribute.hpp"
#include "parity/terminal/table.hpp"

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
  name_ = result.subject.name;
  ++cases_[result.verdict];
  for (const cases::NodeResult& one : result.nodes) {
    if (!one.hash) continue;
    Node& node = nodes_[{one.node, one.output}];
    node.name = one.name(), node.op = one.op;
    ++node.verdicts[one.verdict];
    const double ratio = one.local.ratio();
    if (!std::isnan(ratio)) node.ratios.push_back(ratio);
    if (ratio > node.max_ratio || (std::isnan(node.max_ratio) && !std::isnan(ratio))) {
      node.max_ratio = ratio;
      node.worst_seed = result.subject.seed;
    }
    node.max_ulp = std::fmax(node.max_ulp, one.local.max_ulp.value);
  }
}

std::string SeedSummary::text() const {
  terminal::TextTable table({"node", "op", "median ratio", "max ratio", "at seed", "max ulp", "verdicts"}, 2);
  for (const auto& [place, node] : nodes_)
    table.row({node.name, node.op, terminal::short_number(median(node.ratios)), terminal::short_number(node.max_ratio),
               node.ratios.empty() ? "-" : std::to_string(node.worst_seed), terminal::short_number(node.max_ulp),
               counts_of(node.verdicts)});
  std::size_t seeds = 0;
  for (const auto& [verdict, count] : cases_) seeds += count;
  return table.text() + fmt::format("{}: {} seeds: {}\n", name_, seeds, counts_of(cases_));
}

}  // namespace plumb::parity::report
