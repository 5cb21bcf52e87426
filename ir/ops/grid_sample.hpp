// Declares sampling an image at the points of a grid, with its modes of interpolation and padding.
#pragma once

#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

enum class SampleMode { linear, nearest, cubic };
constexpr auto enum_names(SampleMode) { return std::array<std::string_view, 3>{"linear", "nearest", "cubic"}; }

enum class SamplePadding { zeros, border, reflection };
constexpr auto enum_names(SamplePadding) { return std::array<std::string_view, 3>{"zeros", "border", "reflection"}; }

/// An image at the points of a grid, whose coordinates go from -1 to 1 (ops.md 9, ONNX GridSample-22).
/// grid_sample.comp knows the numbers of the choices.
struct GridSample {
  SampleMode mode = SampleMode::linear;
  SamplePadding padding = SamplePadding::zeros;
  bool align_corners = false;

  static constexpr auto name = "grid_sample";
  static constexpr auto summary = "an image at the points of a grid";
  static constexpr auto formula =
      "y[n, c, o] = Σ w·x[n, c, j] over the taps j around u, by axis: u = (g + 1)/2·(D − 1) with align_corners, else "
      "((g + 1)·D − 1)/2, g = grid[n, o, ..], the last spatial axis first; nearest rounds u to even, cubic has a = "
      "−0.75";
  static constexpr int tier = 2;
  static constexpr std::array inputs = {Input{"x", dtypes::R, "[N, C, D..]"},
                                        Input{"grid", dtypes::R, "[N, O.., r]", "x"}};
  static constexpr std::array outputs = {Output{"y", "as x [N, C, O..]"}};
  static constexpr std::array<std::string_view, 2> checks = {
      "x must have r = 1, 2 or 3 spatial axes, grid the same rank and N, and r as its last extent",
      "x must have elements along its spatial axes"};
  static constexpr auto fields = std::tuple{
      Field{"mode", &GridSample::mode, "kernel of the interpolation"},
      Field{"padding", &GridSample::padding, "what is outside: zeros, the nearest element, or the image reflected"},
      Field{"align_corners", &GridSample::align_corners, "-1 and 1 are centres of the outermost elements, not edges"},
  };

  /// Taps of one axis.
  std::int64_t taps() const { return mode == SampleMode::nearest ? 1 : mode == SampleMode::linear ? 2 : 4; }

  TensorTypes infer(Types in) const {
    const auto &x = in[0].shape, &grid = in[1].shape;
    check(*this, 1,
          x.rank() >= 3 && x.rank() <= 5 && grid.rank() == x.rank() && grid[0] == x[0] && grid.back() == x.rank() - 2,
          "x is ", in[0], ", grid is ", in[1]);
    for (std::size_t a = 2; a < x.size(); ++a) check(*this, 2, x[a] >= 1, "x is ", in[0]);
    Shape y = x.leading(2);
    y.insert(y.end(), grid.begin() + 1, grid.end() - 1);
    return {{in[0].dtype, std::move(y)}};
  }
  ErrorClass error_class() const { return mode == SampleMode::nearest ? ErrorClass::discrete : ErrorClass::comp; }
  Cost cost(Types in, Types out) const {
    std::int64_t all = 1;
    for (std::size_t a = 2; a < in[0].shape.size(); ++a) all *= taps();
    return {2.0 * static_cast<double>(all) * static_cast<double>(out[0].shape.elements()), all};
  }
  Loops loops(Types in, Types) const {
    Loops made{.loops = {kernels::along(in, 0, {0}), kernels::along(in, 1)},
               .operands = {kernels::linear_data, {Role::parameter}},
               .rounds = "positions and weights are rounded"};
    if (mode == SampleMode::nearest) return made;
    for (std::size_t a = 2; a < in[0].shape.size(); ++a) made.loops.push_back(kernels::taps({a, Axis()}));
    return made;
  }
  bool operator==(const GridSample&) const = default;
};

}  // namespace plumb::ir::ops
