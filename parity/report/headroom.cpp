// How many bits values are below the largest number of f16, for tables and for people.
#include "parity/report/headroom.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "parity/core/float_format.hpp"

namespace plumb::parity::report {

double headroom_of_f16(const cases::NodeResult& node) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (!ir::is_float(node.type.dtype)) return compare::not_computed;
  if (node.type.dtype == ir::DType::f16 && node.special.of == cases::Special::overflow) return -infinity;
  const double bits = std::log2(core::float_format(ir::DType::f16).largest() / node.local.expected_absmax);
  return bits < infinity ? bits : compare::not_computed;
}

std::string headroom_cell(const cases::NodeResult& node) {
  const double bits = headroom_of_f16(node);
  if (std::isnan(bits)) return "-";
  return std::isinf(bits) ? "none" : fmt::format("{:.1f}", bits);
}

std::string headroom_text(const cases::CaseResult& result) {
  const cases::NodeResult* least = nullptr;
  for (const cases::NodeResult& node : result.nodes)
    if (const double bits = headroom_of_f16(node); !std::isnan(bits))
      if (least == nullptr || bits < headroom_of_f16(*least)) least = &node;
  if (least == nullptr) return "";
  const std::string bits = headroom_cell(*least);
  return fmt::format("least headroom of f16: {}{}, at '{}'\n", bits, bits == "none" ? "" : " bits", least->name());
}

}  // namespace plumb::parity::report
