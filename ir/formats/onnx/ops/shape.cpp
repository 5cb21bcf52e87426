// Shapes, and what only looks at a tensor in another shape.

#include <algorithm>
#include <numeric>

#include "ir/formats/onnx/node_reader.hpp"
#include "ir/ops/expand.hpp"

namespace plumb::ir::from_onnx {
namespace {

void identity(NodeReader& node) { node.out(0, node.in(0)); }

void shape(NodeReader& node) {
  const Shape& x = node.shape(node.in(0));
  const auto place = [&](std::int64_t position) {
    return std::clamp(position < 0 ? position + x.rank() : position, std::int64_t{0}, x.rank());
  };
  const auto first = place(node.integer("start", 0)), last = place(node.integer("end", x.rank()));
  std::vector<std::int64_t> extents;
  for (auto k = first; k < last; ++k) extents.push_back(x[static_cast<std::size_t>(k)]);
  node.out(0, node.constant(extents));
}

void size(NodeReader& node) {
  node.out(0, node.constant(Tensor::of<std::int64_t>({}, {node.shape(node.in(0)).elements()})));
}

void reshape(NodeReader& node) {
  const Shape& x = node.shape(node.in(0));
  const auto wanted = node.ints_of("shape", 1);
  require(wanted.has_value(), "attribute 'shape' is missing");
  const bool zeros_are_zeros = node.integer("allowzero", 0) != 0;
  Shape to;
  std::optional<std::size_t> open;
  for (std::size_t k = 0; k < wanted->size(); ++k) {
    const auto extent = (*wanted)[k];
    require(extent >= -1, "extent ", extent, " is negative");
    if (extent == -1) {
      require(!open.has_value(), "the shape has more than one -1");
      open = k;
    }
    const bool copies = extent == 0 && !zeros_are_zeros;
    require(!copies || k < x.size(), "extent ", k, " is 0, x is ", node.type(node.in(0)));
    to.push_back(extent == -1 ? 1 : copies ? x[k] : extent);
  }
  if (open) {
    const auto rest = to.elements();
    require(rest > 0 && x.elements() % rest == 0, "x is ", node.type(node.in(0)), ", wanted ", Shape(*wanted));
    to[*open] = x.elements() / rest;
  }
  node.out(0, node.reshape(node.in(0), to));
}

void flatten(NodeReader& node) {
  const Shape& x = node.shape(node.in(0));
  auto axis = node.integer("axis", 1);
  if (axis < 0) axis += x.rank();
  require(0 <= axis && axis <= x.rank(), "axis ", axis, " is outside rank ", x.rank());
  const Shape outer = x.leading(static_cast<std::size_t>(axis));
  const Shape inner(x.begin() + axis, x.end());
  node.out(0, node.reshape(node.in(0), {outer.elements(), inner.elements()}));
}

void squeeze(NodeReader& node) {
  const Shape& x = node.shape(node.in(0));
  const auto axes = node.ints_of("axes", 1);
  std::vector<bool> gone(x.size(), false);
  for (std::size_t k = 0; k < x.size(); ++k) gone[k] = !axes && x[k] == 1;
  for (const auto axis : axes.value_or(std::vector<std::int64_t>{})) {
    const auto k = x.axis(axis);
    require(x[k] == 1, "axis ", axis, " of ", node.type(node.in(0)), " is not 1");
    gone[k] = true;
  }
  Shape to;
  for (std::size_t k = 0; k < x.size(); ++k)
    if (!gone[k]) to.push_back(x[k]);
  node.out(0, node.reshape(node.in(0), to));
}

void unsqueeze(NodeReader& node) {
  const Shape& x = node.shape(node.in(0));
  const auto axes = node.ints_of("axes", 1);
  require(axes.has_value(), "attribute 'axes' is missing");
  require(axes->size() <= static_cast<std::size_t>(max_rank), "adds ", axes->size(), " axes");
  const auto rank = x.rank() + static_cast<std::int64_t>(axes->size());
  std::vector<bool> added(static_cast<std::size_t>(rank), false);
  for (const auto axis : *axes) {
    const auto k = axis < 0 ? axis + rank : axis;
    require(0 <= k && k < rank && !added[static_cast<std::size_t>(k)], "axes are ", Shape(*axes), ", x is ",
            node.type(node.in(0)));
    added[static_cast<std::size_t>(k)] = true;
  }
  Shape to;
  auto next = x.begin();
  for (const bool is_new : added) to.push_back(is_new ? 1 : *next++);
  node.out(0, node.reshape(node.in(0), to));
}

void expand(NodeReader& node) {
  const Shape& x = node.shape(node.in(0));
  const Shape wanted(node.known_ints(1, "shape"));
  require(broadcastable(x, wanted), "x is ", node.type(node.in(0)), ", wanted ", wanted);
  const Shape to = broadcast(x, wanted);
  node.out(0, to == x ? node.in(0) : node.add(ops::Expand{to}, {node.in(0)}));
}

void constant_of_shape(NodeReader& node) {
  const TensorType one = node.attribute("value") != nullptr ? node.tensor("value").type() : TensorType{DType::f32, {1}};
  const Tensor value = node.attribute("value") != nullptr ? node.tensor("value") : Tensor(one);
  require(value.elements() == 1, "value must be one number, got ", value.type());
  const TensorType type{value.dtype(), Shape(node.known_ints(0, "shape"))};
  node.take(type);
  Tensor filled(type);
  const auto width = value.bytes().size();
  for (std::size_t at = 0; at < filled.bytes().size(); at += width)
    std::ranges::copy(value.bytes(), filled.bytes().begin() + static_cast<std::ptrdiff_t>(at));
  node.out(0, node.constant(std::move(filled)));
}

void constant(NodeReader& node) {
  const auto as_tensor = [&]<class T>(const auto& values, Shape shape, T) {
    return Tensor::of<T>(std::move(shape), std::vector<T>(values.begin(), values.end()));
  };
  if (node.attribute("value") != nullptr) return node.out(0, node.constant(node.tensor("value")));
  if (node.attribute("value_float") != nullptr) return node.out(0, node.scalar(DType::f32, node.real("value_float")));
  if (node.attribute("value_int") != nullptr)
    return node.out(0, node.constant(Tensor::of<std::int64_t>({}, {node.integer("value_int")})));
  if (const auto values = node.reals("value_floats"))
    return node.out(0, node.constant(as_tensor(*values, {static_cast<std::int64_t>(values->size())}, float{})));
  if (const auto values = node.ints("value_ints")) return node.out(0, node.constant(*values));
  if (node.attribute("sparse_value") != nullptr) return node.out(0, node.constant(node.sparse_tensor("sparse_value")));
  NodeReader::unsupported("holds strings, or nothing");
}

void eye_like(NodeReader& node) {
  const TensorType& like = node.type(node.in(0));
  require(like.shape.rank() == 2, "x must have rank 2, got ", like);
  const auto onnx_type = node.integer("dtype", 0);
  const DType dtype = onnx_type == 0 ? like.dtype : dtype_of(onnx_type);
  const auto diagonal = node.integer("k", 0);
  node.take({DType::f64, like.shape});
  Tensor eye({DType::f64, like.shape});
  const auto to = eye.as<double>();
  const auto rows = like.shape[0], columns = like.shape[1];
  for (std::int64_t row = 0; row < rows; ++row)
    if (const auto column = row + diagonal; 0 <= column && column < columns)
      to[static_cast<std::size_t>(row * columns + column)] = 1;
  node.out(0, node.constant(ir::convert(eye, dtype)));
}

}  // namespace

std::span<const Converter> shape_converters() {
  static constexpr Converter table[] = {
      {"Constant", constant},   {"ConstantOfShape", constant_of_shape},
      {"Expand", expand},       {"EyeLike", eye_like},
      {"Flatten", flatten},     {"Identity", identity},
      {"Reshape", reshape},     {"Shape", shape},
      {"Size", size},           {"Squeeze", squeeze},
      {"Unsqueeze", unsqueeze},
  };
  return table;
}

}  // namespace plumb::ir::from_onnx
