// Takes the limit of an output's worst element apart.
#include "parity/cases/limit_parts.hpp"

#include <cmath>

#include "parity/cases/node_result.hpp"

namespace plumb::parity::cases {
namespace {

LimitBy by_of(const NodeResult& node, const compare::Comparison& judged) {
  using Rule = compare::Allowed::Rule;
  if (node.rule) return LimitBy::policy;
  switch (node.units.kind) {
    case UnitKind::line:
      return LimitBy::line;
    case UnitKind::matrix:
    case UnitKind::residual:
      return LimitBy::norm;
    case UnitKind::choice:
      return LimitBy::choice;
    case UnitKind::element:
      break;
  }
  if (!judged.limit.rule) return LimitBy::unknown;
  if (*judged.limit.rule == Rule::bits) return LimitBy::bits;
  if (*judged.limit.rule != Rule::within) return LimitBy::exact;
  const bool is_sum = !node.sums.empty() || !std::isnan(judged.limit.chance);
  return is_sum ? LimitBy::sum : LimitBy::function;
}

}  // namespace

LimitParts limit_parts(const NodeResult& node) {
  if (node.limit) return *node.limit;
  const compare::Comparison& judged = node.gated();
  if (judged.worst.empty()) return {};
  LimitParts parts{.by = by_of(node, judged)};
  const bool is_of_element = parts.by == LimitBy::sum || parts.by == LimitBy::function;
  if (!is_of_element) return parts;
  parts.certain = judged.limit.certain;
  if (!(node.lambda > 0)) return parts;
  parts.sigma = judged.limit.chance / node.lambda;
  parts.fixed = judged.worst.front().allowed - judged.limit.chance;
  return parts;
}

}  // namespace plumb::parity::cases
