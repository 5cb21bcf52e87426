// Declares distances between the rows of two matrices.
#pragma once

#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

enum class DistanceMetric { euclidean, squared_euclidean, cosine, manhattan };

constexpr auto enum_names(DistanceMetric) {
  return std::array<std::string_view, 4>{"euclidean", "squared_euclidean", "cosine", "manhattan"};
}

/// The distance of every row of x from every row of y, or from every row of x (ops.md 6, SciPy cdist). Distances are
/// summed from differences, so that they are good for rows that lie close together far from 0. The cosine distance of
/// two rows of zeros is 0, that of one and another row is 1.
struct PairwiseDistance {
  DistanceMetric metric = DistanceMetric::euclidean;
  bool has_y = false;

  static constexpr auto name = "pairwise_distance";
  static constexpr auto summary = "distances between the rows of two matrices";
  static constexpr auto formula =
      "D[i, j]: squared_euclidean Σ_k (x[i, k] − y[j, k])², euclidean its root, manhattan Σ_k |x[i, k] − y[j, k]|, "
      "cosine 1 − x[i]·y[j] / (‖x[i]‖‖y[j]‖) within [0, 2]; y is x where there is none";
  static constexpr int tier = 3;
  static constexpr std::array inputs = {Input{"x", dtypes::R, "[n, d]"}, Input{"y", dtypes::R, "[m, d]", "x", "has_y"}};
  static constexpr std::array outputs = {Output{"D", "as x [n, m]"}};
  static constexpr std::array<std::string_view, 1> checks = {"x and y must have rank 2 and rows of one length"};
  static constexpr auto fields = std::tuple{
      Field{"metric", &PairwiseDistance::metric, "which distance"},
      Field{"has_y", &PairwiseDistance::has_y, "whether there is a y"},
  };

  TensorTypes infer(Types in) const {
    const Shape &x = in[0].shape, &y = in.back().shape;
    check(*this, 1, x.rank() == 2 && y.rank() == 2 && x[1] == y[1], "x is ", in[0], ", y is ", in.back());
    return {{in[0].dtype, {x[0], y[0]}}};
  }
  ErrorClass error_class() const { return ErrorClass::comp; }
  Cost cost(Types in, Types out) const {
    const std::int64_t d = in[0].shape[1];
    const double each = metric == DistanceMetric::cosine ? 6 : 3;
    return {each * static_cast<double>(d) * static_cast<double>(out[0].shape.elements()), d};
  }
  Loops loops(Types, Types) const {
    Loops made{.loops = {kernels::summed({1})}, .operands = {{}}, .rounds = "differences are rounded"};
    if (!has_y) return made;  // Rows of x alone are on both axes of the result.
    made.loops.front().in.push_back(1);
    made.loops.push_back({.out = 0, .in = {0, Axis()}});
    made.loops.push_back({.out = 1, .in = {Axis(), 0}});
    made.operands.push_back({});
    return made;
  }
  bool operator==(const PairwiseDistance&) const = default;
};

}  // namespace plumb::ir::ops
