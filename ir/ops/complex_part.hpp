// Declares reals that are made of complex numbers.
#pragma once

#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

enum class ComplexPartFunction { real, imag, abs, angle, norm_squared };

constexpr auto enum_names(ComplexPartFunction) {
  return std::array<std::string_view, 5>{"real", "imag", "abs", "angle", "norm_squared"};
}

/// A real number of every complex one (ops.md 2).
///
///   rounds  real and imag not at all, every bit is copied; norm_squared once a product and once their sum
///
/// The modulus neither overflows nor vanishes on the way, and is infinite where either part is. The angle on the
/// negative real axis has the sign of the imaginary part, of a zero, too.
struct ComplexPart {
  ComplexPartFunction function = ComplexPartFunction::real;

  static constexpr auto name = "complex_part";
  static constexpr auto summary = "a real number of every complex one";
  static constexpr auto formula = "real, imag; abs = √(re² + im²); angle = atan2(im, re); norm_squared = re² + im²";
  static constexpr int tier = 3;
  static constexpr std::array inputs = {Input{"z", dtypes::Z, "[..]"}};
  static constexpr std::array outputs = {Output{"y", "f32 of c64, f64 of c128; shape of z"}};
  static constexpr std::array<std::string_view, 0> checks = {};
  static constexpr auto fields = std::tuple{
      Field{"function", &ComplexPart::function, "what is taken", Presence::required},
  };

  TensorTypes infer(Types in) const { return {{in[0].dtype == DType::c128 ? DType::f64 : DType::f32, in[0].shape}}; }
  ErrorClass error_class() const {
    switch (function) {
      case ComplexPartFunction::real:
      case ComplexPartFunction::imag:
        return ErrorClass::bits;
      case ComplexPartFunction::norm_squared:
        return ErrorClass::dot;
      default:
        return ErrorClass::ulp;
    }
  }
  Loops loops(Types in, Types out) const { return {.loops = kernels::elementwise(in, out[0].shape)}; }
  bool operator==(const ComplexPart&) const = default;
};

}  // namespace plumb::ir::ops
