// The attributes of windows and convolutions, which several families have.
#pragma once

#include "ir/formats/onnx/write/node_writer.hpp"

namespace plumb::ir::to_onnx {

/// The attribute, or what it means to leave it out.
inline Numbers or_all(const Numbers& given, std::size_t count, std::int64_t otherwise) {
  return given.empty() ? Numbers(count, otherwise) : given;
}

/// Strides, dilations and pads of as many spatial axes.
template <class Op>
void set_window(const Attributes& made, const Op& op, std::size_t axes) {
  made.integers("strides", or_all(op.strides, axes, 1));
  made.integers("dilations", or_all(op.dilations, axes, 1));
  made.integers("pads", or_all(op.pads, 2 * axes, 0));
}

/// The window of a convolution by filters of shape w, its extents, and the groups.
template <class Op>
void set_convolution(const Attributes& made, const Op& op, const Shape& w) {
  made.integers("kernel_shape", Numbers(w.begin() + 2, w.end())).integer("group", op.group);
  set_window(made, op, w.size() - 2);
}

}  // namespace plumb::ir::to_onnx
