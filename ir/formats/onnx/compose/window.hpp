#pragma once

#include "ir/formats/onnx/node_reader.hpp"

namespace plumb::ir::from_onnx {

/// The geometry of a convolution or pooling, complete: one entry for each spatial axis,
/// pads of all beginnings and then of all ends.
struct Window {
  std::vector<std::int64_t> kernel, strides, dilations, pads;

  /// Positions from the first to the last one that the kernel touches, and one more.
  std::int64_t reach(std::size_t axis) const { return dilations[axis] * (kernel[axis] - 1) + 1; }
};

/// Reads strides, dilations, pads and auto_pad of a window that slides over `x`.
Window read_window(const NodeReader& node, const Shape& x, std::vector<std::int64_t> kernel);

/// Reads the window of a ConvTranspose, whose auto_pad looks at the output, and its output_padding.
Window read_transposed_window(const NodeReader& node, const Shape& x, std::vector<std::int64_t> kernel,
                              std::vector<std::int64_t>& output_padding);

}  // namespace plumb::ir::from_onnx
