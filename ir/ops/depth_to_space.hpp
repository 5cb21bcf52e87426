// Declares depth-to-space, in both orders of channels, and its strided copy.
#pragma once

#include "ir/kernels/strided_copy.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

enum class DepthOrder { dcr, crd };

constexpr auto enum_names(DepthOrder) { return std::array<std::string_view, 2>{"dcr", "crd"}; }

/// Channels become blocks of pixels (ops.md 4, ONNX DepthToSpace-13).
struct DepthToSpace {
  std::int64_t block = 1;
  DepthOrder mode = DepthOrder::dcr;

  static constexpr auto name = "depth_to_space";
  static constexpr auto summary = "channels become blocks of s x s pixels";
  static constexpr auto formula =
      "y[n, c, h·s + i, w·s + j] = x[n, (i·s + j)·C/s² + c, h, w] (dcr) or x[n, c·s² + i·s + j, h, w] (crd)";
  static constexpr int tier = 2;
  static constexpr std::array inputs = {Input{"x", dtypes::any, "[N, C, H, W]"}};
  static constexpr std::array outputs = {Output{"y", "as x [N, C/s², H·s, W·s]"}};
  static constexpr std::array<std::string_view, 2> checks = {"x must be of rank 4, and block at least 1",
                                                             "the channels must be divisible by block²"};
  static constexpr auto fields = std::tuple{
      Field{"block", &DepthToSpace::block, "s, the side of a block", Presence::required},
      Field{"mode", &DepthToSpace::mode, "depth, column, row or column, row, depth in a channel's number"},
  };

  TensorTypes infer(Types in) const {
    const Shape& x = in[0].shape;
    check(*this, 1, x.rank() == 4 && block >= 1, "x is ", in[0], ", block is ", block);
    const std::int64_t rows = x[1] / block;
    check(*this, 2, x[1] % block == 0 && rows % block == 0, "x is ", in[0], ", block is ", block);
    return {{in[0].dtype, {x[0], rows / block, Shape{x[2], block}.elements(), Shape{x[3], block}.elements()}}};
  }
  kernels::StridedCopy copy(const TensorType& x) const {
    const std::int64_t s = block, rows = x.shape[2], columns = x.shape[3], depth = x.shape[1] / s / s;
    const std::int64_t plane = rows * columns, group = mode == DepthOrder::dcr ? depth * plane : plane,
                       channel = mode == DepthOrder::dcr ? plane : s * s * plane;
    return kernels::read_strided(x.dtype, {x.shape[0], depth, rows, s, columns, s},
                                 {x.shape[1] * plane, channel, columns, s * group, 1, group});
  }
  ErrorClass error_class() const { return ErrorClass::bits; }
  Cost cost(Types, Types) const { return {}; }
  bool operator==(const DepthToSpace&) const = default;
};

}  // namespace plumb::ir::ops
