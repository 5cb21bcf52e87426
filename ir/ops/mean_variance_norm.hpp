#pragma once

#include <algorithm>

#include "ir/kernels/op_loops.hpp"
#include "ir/kernels/strided_copy.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// Elements along some axes brought to mean 0 and standard deviation 1 (ops.md 7, ONNX
/// MeanVarianceNormalization-13).
struct MeanVarianceNorm {
  std::vector<std::int64_t> axes;
  double epsilon = 1e-9;

  static constexpr auto name = "mean_variance_norm";
  static constexpr auto summary = "elements along axes standardised, epsilon outside the root";
  static constexpr auto formula =
      "μ, v over the elements along `axes`, y = (x - μ) / (√v + epsilon), rounded once; a constant set gives 0";
  static constexpr int tier = 2;
  static constexpr std::array inputs = {Input{"x", dtypes::R, "[..]"}};
  static constexpr std::array outputs = {Output{"y", "as x"}};
  static constexpr std::array<std::string_view, 2> checks = {"axes must be distinct", "epsilon must be at least 0"};
  static constexpr auto fields = std::tuple{
      Field{"axes", &MeanVarianceNorm::axes, "axes that the statistics run over", Presence::required},
      Field{"epsilon", &MeanVarianceNorm::epsilon, "added to the standard deviation"},
  };

  /// x as lines of neighbours: its axes in another order, those that are kept first.
  struct Turned {
    Shape shape;
    std::size_t kept = 0;              ///< axes, before those of the lines
    kernels::StridedCopy there, back;  ///< from x to that order, and from that order to y
  };

  Turned turned(const TensorType& x) const {
    std::vector<bool> inside(x.shape.size(), false);
    for (const auto axis : axes) inside[x.shape.axis(axis)] = true;
    Turned turned;
    std::vector<std::size_t> order;
    for (const bool wanted : {false, true})
      for (std::size_t a = 0; a < inside.size(); ++a)
        if (inside[a] == wanted) order.push_back(a);
    turned.kept = static_cast<std::size_t>(std::ranges::count(inside, false));
    for (const std::size_t a : order) turned.shape.push_back(x.shape[a]);
    const auto own = x.shape.strides(), other = turned.shape.strides();
    std::vector<std::int64_t> there, back(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) {
      there.push_back(own[order[k]]);
      back[order[k]] = other[k];
    }
    turned.there = kernels::read_strided(x.dtype, turned.shape, there);
    turned.back = kernels::read_strided(x.dtype, x.shape, back);
    return turned;
  }

  TensorTypes infer(Types in) const {
    const auto& x = in[0].shape;
    check(*this, 1, turned(in[0]).kept + axes.size() == x.size(), "got ", Shape(axes), " of ", in[0]);
    check(*this, 2, epsilon >= 0, "got ", epsilon);
    return {in[0]};
  }
  ErrorClass error_class() const { return ErrorClass::comp; }
  Cost cost(Types in, Types) const {
    const auto& x = in[0].shape;
    std::int64_t terms = 1;
    for (const auto axis : axes) terms *= x[x.axis(axis)];
    return {8.0 * static_cast<double>(x.elements()), terms};
  }
  Loops loops(Types in, Types) const {
    std::vector<bool> is_reduced(in[0].shape.size(), false);
    for (const std::int64_t axis : axes) is_reduced[in[0].shape.axis(axis)] = true;
    return {.loops = kernels::lines(in, is_reduced, Reduction::other), .rounds = kernels::root_and_division};
  }
  bool operator==(const MeanVarianceNorm&) const = default;
};

}  // namespace plumb::ir::ops
