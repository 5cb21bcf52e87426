#pragma once

#include "ir/kernels/op_loops.hpp"

namespace plumb::ir::ops {

/// The grid at which grid_sample sees an image under an affine map (ops.md 9, ONNX AffineGrid-20).
struct AffineGrid {
  std::vector<std::int64_t> output_shape{};
  bool align_corners = false;

  static constexpr auto name = "affine_grid";
  static constexpr auto summary = "a grid of points under an affine map";
  static constexpr auto formula =
      "grid[n, i.., j] = Σ_k theta[n, j, k]·v[k], v = (coordinates of i, the innermost axis first, 1); i of an extent "
      "m is at (2i + 1)/m − 1, with align_corners at −1 + 2i/(m − 1), −1 where m = 1";
  static constexpr int tier = 2;
  static constexpr std::array inputs = {Input{"theta", dtypes::R, "[N, r, r + 1]"}};
  static constexpr std::array outputs = {Output{"grid", "as theta [N, O.., r]"}};
  static constexpr std::array<std::string_view, 1> checks = {
      "theta must be [N, 2, 3] or [N, 3, 4], and output_shape have an extent of at least 0 for each of its rows"};
  static constexpr auto fields = std::tuple{
      Field{"output_shape", &AffineGrid::output_shape, "spatial extents of the grid", Presence::required},
      Field{"align_corners", &AffineGrid::align_corners, "-1 and 1 are centres of the outermost elements, not edges"},
  };

  TensorTypes infer(Types in) const {
    const auto& theta = in[0].shape;
    check(*this, 1,
          theta.rank() == 3 && (theta[1] == 2 || theta[1] == 3) && theta[2] == theta[1] + 1 &&
              output_shape.size() == static_cast<std::size_t>(theta[1]),
          "theta is ", in[0], ", output_shape has ", output_shape.size(), " entries");
    Shape grid = {theta[0]};
    for (const std::int64_t extent : output_shape) {
      check(*this, 1, extent >= 0, "output_shape has ", extent);
      grid.push_back(extent);
    }
    grid.push_back(theta[1]);
    return {{in[0].dtype, std::move(grid)}};
  }
  ErrorClass error_class() const { return ErrorClass::dot; }
  Cost cost(Types in, Types out) const {
    const std::int64_t terms = in[0].shape[2];
    return {2.0 * static_cast<double>(terms) * static_cast<double>(out[0].shape.elements()), terms};
  }
  Loops loops(Types in, Types) const {
    return {.loops = {kernels::along(in, 0), kernels::taps({2})}, .rounds = "positions are divided by extents"};
  }
  bool operator==(const AffineGrid&) const = default;
};

}  // namespace plumb::ir::ops
