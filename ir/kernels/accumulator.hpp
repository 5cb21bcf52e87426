// The attribute `accumulator` of products: what sums may be kept in, where that is narrower than usual.
#pragma once

#include <optional>
#include <string_view>

#include "ir/dtype.hpp"

namespace plumb::ir::kernels {

inline constexpr std::string_view accumulator_rule = "accumulator must be the operands' dtype, and not bf16";
inline constexpr auto accumulator_help = "f16 allows a device to keep sums of f16 operands in f16";

constexpr bool can_accumulate(DType operands, std::optional<DType> accumulator) {
  return !accumulator || (*accumulator == operands && operands != DType::bf16);
}

}  // namespace plumb::ir::kernels
