// How the output of a node is called, by its label, with a number from the second output on, and how it came out.
#include "parity/cases/node_result.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace plumb::parity::cases {
namespace {

std::string_view plural_of(UnitKind kind) {
  switch (kind) {
    case UnitKind::line:
      return "lines";
    case UnitKind::matrix:
      return "matrices";
    case UnitKind::residual:
      return "residuals";
    case UnitKind::choice:
      return "choices";
    default:
      return "elements";
  }
}

/// "code of element 7: 5 where the truth has 6, 41 times as far from it as roundings reach"
std::string text_of(const Decision& one) {
  const double times = one.margin / one.limit;
  const std::string far = std::isfinite(times) ? fmt::format(", {:.3g} times as far from it as roundings reach", times)
                                               : ", which no rounding explains";
  return fmt::format("{} at element {}: {:.9g} where the truth has {:.9g}{}", one.what, one.where, one.chosen,
                     one.truth, far);
}

std::string text_of(const compare::Comparison& c, const Units& units) {
  std::string text =
      fmt::format("{} of {} {} are beyond their limit", units.beyond, units.count, plural_of(units.kind));
  if (units.decisions.refused > 0) return text + "; " + text_of(units.decisions.differing.front());
  if (c.worst.empty()) return text;
  const compare::Worst& worst = c.worst.front();
  if (std::isfinite(worst.ratio))
    text += fmt::format("; the worst is {:.3g} times as far off as it may be", worst.ratio);
  text += fmt::format("; its largest error is at element {}: expected {:.9g}, got {:.9g}", worst.index, worst.expected,
                      worst.got);
  return c.ratio_certain > 1 ? text + "; no order of rounding explains it" : text;
}

}  // namespace

std::string output_name(std::string_view label, std::size_t output) {
  return output == 0 ? std::string(label) : ir::cat(label, ':', output);
}

std::string NodeOutput::name() const { return output_name(label, output); }

std::string Measured::summary() const {
  if (gates_total || units.are_elements() || local.agrees()) return compare::summary(gated());
  return text_of(local, units);
}

const NodeResult* first_guilty(const CaseResult& result) {
  const auto found = std::ranges::find_if(result.nodes, &NodeResult::is_guilty);
  return found == result.nodes.end() ? nullptr : &*found;
}

}  // namespace plumb::parity::cases
