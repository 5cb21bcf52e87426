// Declares a norm that a condition modulates.
#pragma once

#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

enum class AdaNormKind { layer, rms };

constexpr auto enum_names(AdaNormKind) { return std::array<std::string_view, 2>{"layer", "rms"}; }

/// Lines of the last axis brought to mean 0 and variance 1, or to mean square 1, and modulated by a condition (ops.md
/// 7; Peebles and Xie, "Scalable Diffusion Models with Transformers", 2023).
struct AdaNorm {
  AdaNormKind kind = AdaNormKind::layer;
  double epsilon = 1e-6;

  static constexpr auto name = "ada_norm";
  static constexpr auto summary = "standardised lines, modulated by a condition";
  static constexpr auto formula =
      "y = (x - μ)·r·(1 + scale) + shift, rounded once; layer: μ = mean(x), r = 1/√(mean((x - μ)²) + epsilon); rms: "
      "μ = 0, r = 1/√(mean(x²) + epsilon)";
  static constexpr int tier = 3;
  static constexpr std::array inputs = {Input{"x", dtypes::R, "[.., D]"},
                                        Input{"scale", dtypes::R, "broadcasts to x", "x"},
                                        Input{"shift", dtypes::R, "broadcasts to x", "x"}};
  static constexpr std::array outputs = {Output{"y", "as x"}};
  static constexpr std::array<std::string_view, 2> checks = {"scale and shift must broadcast to x",
                                                             "epsilon must be at least 0"};
  static constexpr auto fields = std::tuple{
      Field{"kind", &AdaNorm::kind, "with a mean, or without"},
      Field{"epsilon", &AdaNorm::epsilon, "added to the variance, or to the mean square"},
  };

  TensorTypes infer(Types in) const {
    const auto& x = in[0].shape;
    x.axis(-1);
    for (const TensorType& affine : in.subspan(1))
      check(*this, 1, broadcasts_to(affine.shape, x), "x is ", in[0], ", got ", affine);
    check(*this, 2, epsilon >= 0, "got ", epsilon);
    return {in[0]};
  }
  ErrorClass error_class() const { return ErrorClass::comp; }
  Cost cost(Types in, Types) const { return {9.0 * static_cast<double>(in[0].shape.elements()), in[0].shape.back()}; }
  Loops loops(Types in, Types) const {
    return {.loops = kernels::norm(in, in[0].shape.size() - 1), .rounds = kernels::root_and_division};
  }
  bool operator==(const AdaNorm&) const = default;
};

}  // namespace plumb::ir::ops
