#pragma once

#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// Every line along one axis divided by its 1-norm or 2-norm (ops.md 7, ONNX LpNormalization-22).
struct LpNorm {
  std::int64_t axis = -1;
  std::int64_t p = 2;

  static constexpr auto name = "lp_norm";
  static constexpr auto summary = "lines divided by their norm";
  static constexpr auto formula = "y = x / (Σ |x|^p)^(1/p) along `axis`; a line of zeros gives zeros";
  static constexpr int tier = 2;
  static constexpr std::array inputs = {Input{"x", dtypes::R, "[..]"}};
  static constexpr std::array outputs = {Output{"y", "as x"}};
  static constexpr std::array<std::string_view, 1> checks = {"p must be 1 or 2"};
  static constexpr auto fields = std::tuple{
      Field{"axis", &LpNorm::axis, "the lines' axis; negative counts from the end"},
      Field{"p", &LpNorm::p, "1 or 2"},
  };

  TensorTypes infer(Types in) const {
    in[0].shape.axis(axis);
    check(*this, 1, p == 1 || p == 2, "got ", p);
    return {in[0]};
  }
  ErrorClass error_class() const { return ErrorClass::comp; }
  Cost cost(Types in, Types) const {
    return {4.0 * static_cast<double>(in[0].shape.elements()), in[0].shape[in[0].shape.axis(axis)]};
  }
  Loops loops(Types in, Types) const {
    return {.loops = kernels::lines(in, axis, Reduction::other), .rounds = kernels::root_and_division};
  }
  bool operator==(const LpNorm&) const = default;
};

}  // namespace plumb::ir::ops
