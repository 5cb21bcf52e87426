#pragma once

#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// Limits, broadcast (ops.md 3): NaN in any operand gives NaN, min > max gives max.
struct Clamp {
  bool has_min = true;
  bool has_max = true;

  static constexpr auto name = "clamp";
  static constexpr auto summary = "lower and upper limits, broadcast";
  static constexpr auto formula = "y = minimum(maximum(x, min), max)";
  static constexpr int tier = 1;
  static constexpr std::array inputs = {Input{"x", dtypes::N, "[..]"}, Input{"min", dtypes::N, "[..]", "x", "has_min"},
                                        Input{"max", dtypes::N, "[..]", "x", "has_max"}};
  static constexpr std::array outputs = {Output{"y", "as x, broadcast shape"}};
  static constexpr std::array<std::string_view, 1> checks = {"shapes must broadcast"};
  static constexpr auto fields = std::tuple{
      Field{"has_min", &Clamp::has_min, "min is given"},
      Field{"has_max", &Clamp::has_max, "max is given"},
  };

  TensorTypes infer(Types in) const {
    Shape y = in[0].shape;
    for (const TensorType& limit : in.subspan(1)) {
      check(*this, 1, broadcastable(y, limit.shape), "x is ", in[0], ", a limit is ", limit);
      y = broadcast(y, limit.shape);
    }
    return {{in[0].dtype, std::move(y)}};
  }
  ErrorClass error_class() const { return ErrorClass::exact; }
  Loops loops(Types in, Types out) const { return {.loops = kernels::elementwise(in, out[0].shape)}; }
  bool operator==(const Clamp&) const = default;
};

}  // namespace plumb::ir::ops
