#pragma once

#include "ir/ops/matmul.hpp"

namespace plumb::parity::bounds {

/// A product of matrices and, in the same go, limits of the error of one that is computed in another precision
/// (docs/bounds.md). Only the limits need it, so it is no op of the IR: it is in graphs that evaluate limits, never in
/// a file, and an executor runs it where somebody gave it a kernel (ref_cpu::CpuOptions::extra_kernels). Without one
/// the limits of a product are evaluated by their formulas, which takes longer.
///
/// With S = Σ a²b², K terms a sum:
///
///   squares  = `of_square` y² + `of_spread` max(S − y² / K, 0) + `of_terms` S     (verdict.md V14)
///   certain  = `certain`·Σ|a||b| + `stored`·|y|
///   probable = min(`random`·√squares, `certain`·Σ|a||b|) + `stored`·|y|
///
/// y is good to f64's unit, `squares` to 2^-15, and Σ|a||b| is rounded up, by (260 + K / 256) 2^-24 of it at most.
struct BoundedMatmul {
  bool transpose_a = false, transpose_b = false;
  double random = 0, certain = 0, stored = 0;
  double of_square = 0, of_spread = 0, of_terms = 0;
  double least = 0;

  static constexpr auto name = "bounded_matmul";
  static constexpr auto summary = "matrix product with limits of its error";
  static constexpr auto formula = "y = a·b";
  static constexpr int tier = 3;
  static constexpr std::array inputs = {ir::Input{"a", ir::DTypes(ir::DType::f64), "[.., M, K]"},
                                        ir::Input{"b", ir::DTypes(ir::DType::f64), "[.., K, N]", "a"}};
  static constexpr std::array outputs = {ir::Output{"y", "f64 [batch.., M, N]"}, ir::Output{"probable", "as y"},
                                         ir::Output{"certain", "as y"}};
  static constexpr std::array<std::string_view, 0> checks = {};
  static constexpr auto fields = std::tuple{
      ir::Field{"transpose_a", &BoundedMatmul::transpose_a, "a is [.., K, M]"},
      ir::Field{"transpose_b", &BoundedMatmul::transpose_b, "b is [.., N, K]"},
      ir::Field{"random", &BoundedMatmul::random, "factor of the root of the squares"},
      ir::Field{"certain", &BoundedMatmul::certain, "factor of the sum of magnitudes"},
      ir::Field{"stored", &BoundedMatmul::stored, "factor of |y|"},
      ir::Field{"of_square", &BoundedMatmul::of_square, "factor of y² in the squares"},
      ir::Field{"of_spread", &BoundedMatmul::of_spread, "factor of what S is above y² / K"},
      ir::Field{"of_terms", &BoundedMatmul::of_terms, "factor of S"},
      ir::Field{"least", &BoundedMatmul::least,
                "smallest magnitude that |a| and |b| count with in S and Σ|a||b|; zeros are exempt"},
  };

  ir::TensorTypes infer(ir::Types in) const {
    const ir::TensorType y = ir::ops::Matmul{transpose_a, transpose_b, {}}.infer(in).front();
    return {y, y, y};
  }
  ir::ErrorClass error_class() const { return ir::ErrorClass::dot; }
  bool operator==(const BoundedMatmul&) const = default;
};

}  // namespace plumb::parity::bounds
