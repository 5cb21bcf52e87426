#pragma once

#include "ir/loops.hpp"

namespace plumb::ir::kernels {

/// How a scatter op combines an update with the element it meets (ops.md 4).
enum class ScatterReduction { none, add, multiply, maximum, minimum };

constexpr auto enum_names(ScatterReduction) {
  return std::array<std::string_view, 5>{"none", "add", "multiply", "maximum", "minimum"};
}

constexpr ErrorClass error_class_of(ScatterReduction reduction) {
  switch (reduction) {
    case ScatterReduction::none:
      return ErrorClass::bits;
    case ScatterReduction::add:
      return ErrorClass::dot;
    case ScatterReduction::multiply:
      return ErrorClass::comp;
    default:
      return ErrorClass::exact;
  }
}

/// The use of updates: they are moved where nothing combines them, else they join the element they meet.
constexpr OperandUse updates_of(ScatterReduction reduction) {
  return {.role = reduction == ScatterReduction::none ? Role::data : Role::parameter};
}

}  // namespace plumb::ir::kernels
