// Products and convolutions of codes.
#pragma once

#include "ir/formats/onnx/node_reader.hpp"

namespace plumb::ir::from_onnx {

/// The converters of MatMulInteger, ConvInteger, QLinearMatMul and QLinearConv.
void matmul_integer(NodeReader& node);
void conv_integer(NodeReader& node);
void qlinear_matmul(NodeReader& node);
void qlinear_conv(NodeReader& node);

}  // namespace plumb::ir::from_onnx
