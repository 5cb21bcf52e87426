// Products as numpy.matmul takes them, of vectors as well.
#pragma once

#include "ir/formats/onnx/node_reader.hpp"

namespace plumb::ir::from_onnx {

/// The operands of a product as matrices: a vector on the left is one row, on the right one column.
struct Matrices {
  Ref a = 0, b = 0;
  bool is_row = false, is_column = false;  ///< a, b was a vector: the product has no M, no N

  Matrices(NodeReader& node, Ref left, Ref right);

  /// The product, [.., M, N], without the axes that the vectors got.
  Ref without_axes(NodeReader& node, Ref product) const;
};

/// a·b in their own dtype.
Ref matmul(NodeReader& node, Ref a, Ref b);

}  // namespace plumb::ir::from_onnx
