#pragma once

#include "ir/op.hpp"

namespace plumb::ir::ops {

/// One triangle of every matrix (ops.md 4, ONNX Trilu-14).
struct Trilu {
  bool upper = true;
  std::int64_t diagonal = 0;

  static constexpr auto name = "trilu";
  static constexpr auto summary = "upper or lower triangle of every matrix";
  static constexpr auto formula = "y[.., i, j] = x[.., i, j] where j - i >= diagonal (upper) or <= (lower), else 0";
  static constexpr int tier = 2;
  static constexpr std::array inputs = {Input{"x", dtypes::any, "[.., N, M]"}};
  static constexpr std::array outputs = {Output{"y", "as x"}};
  static constexpr std::array<std::string_view, 1> checks = {"x must be of rank 2 at least"};
  static constexpr auto fields = std::tuple{
      Field{"upper", &Trilu::upper, "which triangle is kept"},
      Field{"diagonal", &Trilu::diagonal, "the last one kept: 0 the main one, above it positive"},
  };

  TensorTypes infer(Types in) const {
    check(*this, 1, in[0].shape.rank() >= 2, "x is ", in[0]);
    return {in[0]};
  }

  /// The diagonal, or the nearest beside a matrix of this shape.
  std::int64_t diagonal_within(std::int64_t rows, std::int64_t columns) const {
    return std::clamp(diagonal, -rows, columns);
  }
  ErrorClass error_class() const { return ErrorClass::bits; }
  Cost cost(Types, Types) const { return {}; }
  bool operator==(const Trilu&) const = default;
};

}  // namespace plumb::ir::ops
