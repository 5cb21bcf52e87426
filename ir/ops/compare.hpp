// Declares the broadcast IEEE comparisons.
#pragma once

#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

enum class Comparison { equal, not_equal, less, less_equal, greater, greater_equal };

constexpr auto enum_names(Comparison) {
  return std::array<std::string_view, 6>{"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"};
}

/// IEEE comparison of two tensors, broadcast (ops.md 3): with a NaN only not_equal
/// is true, -0 equals +0, integers compare exactly.
struct Compare {
  Comparison function = Comparison::equal;

  static constexpr auto name = "compare";
  static constexpr auto summary = "comparison of two tensors, broadcast";
  static constexpr auto formula = "y = a function b";
  static constexpr int tier = 1;
  static constexpr std::array inputs = {Input{"a", dtypes::any, "[..]"}, Input{"b", dtypes::any, "[..]", "a"}};
  static constexpr std::array outputs = {Output{"y", "bool, broadcast shape"}};
  static constexpr std::array<std::string_view, 2> checks = {"shapes must broadcast",
                                                             "a and b must be ordered unless asked for equality"};
  static constexpr auto fields = std::tuple{
      Field{"function", &Compare::function, "the relation", Presence::required},
  };

  TensorTypes infer(Types in) const {
    check(*this, 1, broadcastable(in[0].shape, in[1].shape), "a is ", in[0], ", b is ", in[1]);
    const bool equality = function == Comparison::equal || function == Comparison::not_equal;
    check(*this, 2, equality || dtypes::N.contains(in[0].dtype), "asked for ", enum_name(function), ", a is ", in[0]);
    return {{DType::boolean, broadcast(in[0].shape, in[1].shape)}};
  }
  ErrorClass error_class() const { return ErrorClass::bits; }
  Loops loops(Types in, Types out) const { return {.loops = kernels::elementwise(in, out[0].shape)}; }
  bool operator==(const Compare&) const = default;
};

}  // namespace plumb::ir::ops
