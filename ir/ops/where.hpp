#pragma once

#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// Selection between two tensors, broadcast (ops.md 3). The value that is not
/// selected has no influence.
struct Where {
  static constexpr auto name = "where";
  static constexpr auto summary = "selection between two tensors, broadcast";
  static constexpr auto formula = "y = cond ? a : b";
  static constexpr int tier = 1;
  static constexpr std::array inputs = {Input{"cond", dtypes::B, "[..]"}, Input{"a", dtypes::any, "[..]"},
                                        Input{"b", dtypes::any, "[..]", "a"}};
  static constexpr std::array outputs = {Output{"y", "as a, broadcast shape"}};
  static constexpr std::array<std::string_view, 1> checks = {"shapes must broadcast"};
  static constexpr auto fields = std::tuple{};

  TensorTypes infer(Types in) const {
    const Shape &cond = in[0].shape, &a = in[1].shape, &b = in[2].shape;
    const bool fits = broadcastable(a, b) && broadcastable(cond, broadcast(a, b));
    check(*this, 1, fits, "cond is ", in[0], ", a is ", in[1], ", b is ", in[2]);
    return {{in[1].dtype, broadcast(cond, broadcast(a, b))}};
  }
  ErrorClass error_class() const { return ErrorClass::bits; }
  Loops loops(Types in, Types out) const { return {.loops = kernels::elementwise(in, out[0].shape)}; }
  bool operator==(const Where&) const = default;
};

}  // namespace plumb::ir::ops
