// Shapes: checked counts of elements, strides, NumPy's broadcasting, and lines along an axis.
#include "ir/shape.hpp"

#include <algorithm>

namespace plumb::ir {

std::int64_t Shape::elements() const {
  if (std::find(begin(), end(), 0) != end()) return 0;
  std::int64_t n = 1;
  for (const auto extent : *this) require(!__builtin_mul_overflow(n, extent, &n), *this, " has too many elements");
  return n;
}

std::vector<std::int64_t> Shape::strides() const {
  std::vector<std::int64_t> strides(size(), 1);
  for (std::size_t k = size(); k-- > 1;) strides[k - 1] = strides[k] * (*this)[k];
  return strides;
}

std::ostream& operator<<(std::ostream& out, const Shape& shape) {
  out << '[';
  for (std::size_t i = 0; i < shape.size(); ++i) out << (i != 0 ? ", " : "") << shape[i];
  return out << ']';
}

Shape broadcast(const Shape& a, const Shape& b) {
  const auto& longer = a.size() >= b.size() ? a : b;
  const auto& shorter = a.size() >= b.size() ? b : a;
  Shape both = longer;
  const std::size_t lead = longer.size() - shorter.size();
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    auto& extent = both[lead + i];
    if (extent == 1)
      extent = shorter[i];
    else
      require(shorter[i] == 1 || shorter[i] == extent, a, " and ", b, " do not broadcast");
  }
  return both;
}

bool broadcastable(const Shape& a, const Shape& b) {
  for (std::size_t i = 1; i <= std::min(a.size(), b.size()); ++i) {
    const auto x = a[a.size() - i], y = b[b.size() - i];
    if (x != y && x != 1 && y != 1) return false;
  }
  return true;
}

bool broadcasts_to(const Shape& x, const Shape& target) {
  if (x.size() > target.size()) return false;
  const std::size_t lead = target.size() - x.size();
  for (std::size_t i = 0; i < x.size(); ++i)
    if (x[i] != 1 && x[i] != target[lead + i]) return false;
  return true;
}

std::vector<std::int64_t> broadcast_strides(const Shape& x, const Shape& target) {
  const auto own = x.strides();
  std::vector<std::int64_t> strides(target.size(), 0);
  const std::size_t lead = target.size() - x.size();
  for (std::size_t i = 0; i < x.size(); ++i) strides[lead + i] = x[i] == 1 ? 0 : own[i];
  return strides;
}

std::ostream& operator<<(std::ostream& out, const TensorType& type) { return out << type.dtype << type.shape; }

void check_type(const TensorType& type) {
  require(type.shape.rank() <= max_rank, type, " has rank ", type.shape.rank(), ", at most ", max_rank, " is allowed");
  for (const auto extent : type.shape) require(extent >= 0, type, " has a negative extent");
  std::int64_t bytes = 0;
  require(!__builtin_mul_overflow(type.shape.elements(), static_cast<std::int64_t>(info(type.dtype).bytes), &bytes),
          type, " has too many bytes");
}

Lines along(const Shape& shape, std::int64_t axis) {
  const auto a = shape.axis(axis);
  Lines lines;
  for (std::size_t i = 0; i < a; ++i) lines.outer *= shape[i];
  lines.length = shape[a];
  for (std::size_t i = a + 1; i < shape.size(); ++i) lines.inner *= shape[i];
  return lines;
}

Lines lines_from(const Shape& shape, std::int64_t axis) {
  const auto a = shape.axis(axis);
  const Shape outer = shape.leading(a), length(std::span<const std::int64_t>(shape).subspan(a));
  return {outer.elements(), length.elements(), 1};
}

}  // namespace plumb::ir
