#include <cstring>
#include <functional>

#include "ir/ops/concat.hpp"
#include "ir/ops/expand.hpp"
#include "ir/ops/gather.hpp"
#include "ir/ops/reshape.hpp"
#include "ir/ops/slice.hpp"
#include "ir/ops/split.hpp"
#include "ir/ops/transpose.hpp"
#include "tests/support/cases/movement.hpp"

namespace plumb::tests {
namespace {

namespace ops = ir::ops;
using Position = std::vector<std::int64_t>;

std::int64_t flat(const ir::Shape& shape, const Position& j) {
  std::int64_t at = 0;
  for (std::size_t k = 0; k < shape.size(); ++k) at = at * shape[k] + j[k];
  return at;
}

void copy_element(const ir::Tensor& from, std::int64_t at, ir::Tensor& to, std::int64_t where) {
  const std::size_t width = ir::info(from.dtype()).bytes;
  std::memcpy(to.bytes().data() + static_cast<std::size_t>(where) * width,
              from.bytes().data() + static_cast<std::size_t>(at) * width, width);
}

/// Calls fn for every position of a tensor of this shape.
void every(const ir::Shape& shape, const std::function<void(const Position&)>& fn) {
  Position j(shape.size(), 0);
  for (std::int64_t left = shape.elements(); left > 0; --left) {
    fn(j);
    for (std::size_t k = j.size(); k-- > 0;) {
      if (++j[k] < shape[k]) break;
      j[k] = 0;
    }
  }
}

/// The y of this shape whose element j is the element at source(j) of x.
ir::Tensor read(const ir::Tensor& x, const ir::Shape& shape, const std::function<Position(const Position&)>& source) {
  ir::Tensor y({x.dtype(), shape});
  every(shape, [&](const Position& j) { copy_element(x, flat(x.shape(), source(j)), y, flat(shape, j)); });
  return y;
}

Position transposed(const ops::Transpose& op, const Position& j) {
  Position at(j.size());
  for (std::size_t k = 0; k < j.size(); ++k) at[static_cast<std::size_t>(op.permutation[k])] = j[k];
  return at;
}

Position unexpanded(const ir::Shape& x, const Position& j) {
  Position at(j.end() - x.rank(), j.end());
  for (std::size_t k = 0; k < at.size(); ++k) at[k] = x[k] == 1 ? 0 : at[k];
  return at;
}

Position unsliced(const ops::Slice& op, const ir::Shape& x, Position j) {
  for (std::size_t i = 0; i < op.axes.size(); ++i) {
    auto& at = j[x.axis(op.axes[i])];
    at = op.starts[i] + (at == 0 ? 0 : at * op.step(i));
  }
  return j;
}

Position gathered(std::size_t axis, const ir::Shape& x, const ir::Tensor& indices, const Position& j) {
  const auto from = j.begin() + static_cast<std::ptrdiff_t>(axis), to = from + indices.shape().rank();
  const auto i = static_cast<std::size_t>(flat(indices.shape(), Position(from, to)));
  std::int64_t row = indices.dtype() == ir::DType::i32 ? indices.as<std::int32_t>()[i] : indices.as<std::int64_t>()[i];
  if (row < 0) row += x[axis];
  Position at(j.begin(), from);
  at.push_back(row);
  at.insert(at.end(), to, j.end());
  return at;
}

ir::Tensor joined(std::size_t axis, const std::vector<ir::Tensor>& parts, const ir::TensorType& type) {
  ir::Tensor y(type);
  std::int64_t start = 0;
  for (const ir::Tensor& x : parts) {
    every(x.shape(), [&](Position j) {
      const auto at = flat(x.shape(), j);
      j[axis] += start;
      copy_element(x, at, y, flat(y.shape(), j));
    });
    start += x.shape()[axis];
  }
  return y;
}

}  // namespace

std::vector<ir::Tensor> moved(const ir::Op& op, const std::vector<ir::Tensor>& operands) {
  std::vector<ir::TensorType> types;
  for (const ir::Tensor& operand : operands) types.push_back(operand.type());
  const auto out = ir::infer(op, types);
  const ir::Tensor& x = operands[0];
  const ir::Shape& shape = out[0].shape;
  if (op.is<ops::Concat>()) return {joined(shape.axis(op.as<ops::Concat>().axis), operands, out[0])};
  if (op.is<ops::Split>()) {
    const std::size_t axis = shape.axis(op.as<ops::Split>().axis);
    std::vector<ir::Tensor> parts;
    std::int64_t start = 0;
    for (const ir::TensorType& type : out) {
      parts.push_back(read(x, type.shape, [&](Position j) {
        j[axis] += start;
        return j;
      }));
      start += type.shape[axis];
    }
    return parts;
  }
  return {read(x, shape, [&](const Position& j) {
    if (op.is<ops::Transpose>()) return transposed(op.as<ops::Transpose>(), j);
    if (op.is<ops::Expand>()) return unexpanded(x.shape(), j);
    if (op.is<ops::Slice>()) return unsliced(op.as<ops::Slice>(), x.shape(), j);
    if (op.is<ops::Gather>()) return gathered(x.shape().axis(op.as<ops::Gather>().axis), x.shape(), operands[1], j);
    ir::require(op.is<ops::Reshape>(), op.name(), " has no oracle");
    auto rest = flat(shape, j);
    Position at(x.shape().size());
    for (std::size_t k = at.size(); k-- > 0; rest /= x.shape()[k]) at[k] = rest % x.shape()[k];
    return at;
  })};
}

bool same_bytes(const ir::Tensor& a, const ir::Tensor& b) {
  return a.type() == b.type() && std::ranges::equal(a.bytes(), b.bytes());
}

}  // namespace plumb::tests
