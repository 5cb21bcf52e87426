// The writers of all ops, one table for each family.
#pragma once

#include "ir/formats/onnx/write/node_writer.hpp"

namespace plumb::ir::to_onnx {

std::span<const Writer> convolution_writers();
std::span<const Writer> elementwise_writers();
std::span<const Writer> indexing_writers();
std::span<const Writer> integer_products_writers();
std::span<const Writer> movement_writers();
std::span<const Writer> normalization_writers();
std::span<const Writer> products_writers();
std::span<const Writer> reduction_writers();
std::span<const Writer> sequence_writers();

/// Writes a node. Throws NoOperator where no operators of ONNX compute what it does.
void write_node(ModelWriter& model, const Node& node);

}  // namespace plumb::ir::to_onnx
