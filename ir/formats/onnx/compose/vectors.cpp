// Vectors as matrices for the time of a product.
#include "ir/formats/onnx/compose/vectors.hpp"

#include "ir/ops/matmul.hpp"

namespace plumb::ir::from_onnx {

Matrices::Matrices(NodeReader& node, Ref left, Ref right) : a(left), b(right) {
  is_row = node.shape(a).rank() == 1;
  is_column = node.shape(b).rank() == 1;
  if (is_row) a = node.reshape(a, {1, node.shape(a)[0]});
  if (is_column) b = node.reshape(b, {node.shape(b)[0], 1});
}

Ref Matrices::without_axes(NodeReader& node, Ref product) const {
  Shape to = node.shape(product);
  if (is_column) to.pop_back();
  if (is_row) to.erase(to.end() - (is_column ? 1 : 2));
  return node.reshape(product, to);
}

Ref matmul(NodeReader& node, Ref a, Ref b) {
  const Matrices matrices(node, a, b);
  return matrices.without_axes(node, node.add(ops::Matmul{}, {matrices.a, matrices.b}));
}

}  // namespace plumb::ir::from_onnx
