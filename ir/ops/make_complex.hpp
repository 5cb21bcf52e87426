// Declares complex numbers that are made of reals.
#pragma once

#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

enum class ComplexForm { cartesian, polar };

constexpr auto enum_names(ComplexForm) { return std::array<std::string_view, 2>{"cartesian", "polar"}; }

/// Complex numbers from two reals each (ops.md 2, torch.complex and torch.polar).
///
///   rounds  cartesian not at all, every bit is copied; polar as cos, sin and a product, each part by itself
struct MakeComplex {
  ComplexForm form = ComplexForm::cartesian;

  static constexpr auto name = "make_complex";
  static constexpr auto summary = "complex numbers from two reals";
  static constexpr auto formula = "cartesian z = a + ib, bit for bit; polar z = (a·cos b, a·sin b)";
  static constexpr int tier = 3;
  static constexpr std::array inputs = {Input{"a", DType::f32 | DType::f64, "[..]"},
                                        Input{"b", DType::f32 | DType::f64, "[..]", "a"}};
  static constexpr std::array outputs = {Output{"z", "c64 of f32, c128 of f64; broadcast shape"}};
  static constexpr std::array<std::string_view, 1> checks = {"a and b must broadcast"};
  static constexpr auto fields = std::tuple{
      Field{"form", &MakeComplex::form, "what a and b are: the parts, or modulus and angle"},
  };

  TensorTypes infer(Types in) const {
    check(*this, 1, broadcastable(in[0].shape, in[1].shape), "a is ", in[0], ", b is ", in[1]);
    return {{in[0].dtype == DType::f64 ? DType::c128 : DType::c64, broadcast(in[0].shape, in[1].shape)}};
  }
  ErrorClass error_class() const { return form == ComplexForm::cartesian ? ErrorClass::bits : ErrorClass::ulp; }
  Loops loops(Types in, Types out) const { return {.loops = kernels::elementwise(in, out[0].shape)}; }
  bool operator==(const MakeComplex&) const = default;
};

}  // namespace plumb::ir::ops
