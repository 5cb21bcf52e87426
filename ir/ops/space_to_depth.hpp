#pragma once

#include "ir/kernels/strided_copy.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// Blocks of pixels become channels (ops.md 4, ONNX SpaceToDepth-13); undoes depth_to_space, mode dcr.
struct SpaceToDepth {
  std::int64_t block = 1;

  static constexpr auto name = "space_to_depth";
  static constexpr auto summary = "blocks of s x s pixels become channels";
  static constexpr auto formula = "y[n, (i·s + j)·C + c, h, w] = x[n, c, h·s + i, w·s + j]";
  static constexpr int tier = 2;
  static constexpr std::array inputs = {Input{"x", dtypes::any, "[N, C, H, W]"}};
  static constexpr std::array outputs = {Output{"y", "as x [N, C·s², H/s, W/s]"}};
  static constexpr std::array<std::string_view, 2> checks = {"x must be of rank 4, and block at least 1",
                                                             "rows and columns must be divisible by block"};
  static constexpr auto fields = std::tuple{
      Field{"block", &SpaceToDepth::block, "s, the side of a block", Presence::required},
  };

  TensorTypes infer(Types in) const {
    const Shape& x = in[0].shape;
    check(*this, 1, x.rank() == 4 && block >= 1, "x is ", in[0], ", block is ", block);
    check(*this, 2, x[2] % block == 0 && x[3] % block == 0, "x is ", in[0], ", block is ", block);
    return {{in[0].dtype, {x[0], Shape{x[1], block, block}.elements(), x[2] / block, x[3] / block}}};
  }
  kernels::StridedCopy copy(const TensorType& x) const {
    const std::int64_t s = block, depth = x.shape[1], rows = x.shape[2], columns = x.shape[3];
    return kernels::read_strided(x.dtype, {x.shape[0], s, s, depth, rows / s, columns / s},
                                 {depth * rows * columns, columns, 1, rows * columns, s * columns, s});
  }
  ErrorClass error_class() const { return ErrorClass::bits; }
  Cost cost(Types, Types) const { return {}; }
  bool operator==(const SpaceToDepth&) const = default;
};

}  // namespace plumb::ir::ops
