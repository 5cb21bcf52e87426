// Shapes and types of tensors, NumPy's broadcasting, and tensors seen as lines along an axis.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <span>
#include <vector>

#include "ir/dtype.hpp"

namespace plumb::ir {

inline constexpr std::int64_t max_rank = 8;

/// Extents of a dense row-major tensor, slowest axis first. Rank 0 is a scalar;
/// an extent may be 0.
class Shape : public std::vector<std::int64_t> {
 public:
  using std::vector<std::int64_t>::vector;
  explicit Shape(std::span<const std::int64_t> extents) : vector(extents.begin(), extents.end()) {}

  std::int64_t rank() const { return static_cast<std::int64_t>(size()); }

  /// The product of the extents. Throws Error when it does not fit in 63 bits.
  std::int64_t elements() const;

  /// Turns an axis that may count from the end into one in [0, rank).
  std::size_t axis(std::int64_t axis) const {
    require(-rank() <= axis && axis < rank(), "axis ", axis, " is outside rank ", rank());
    return static_cast<std::size_t>(axis < 0 ? axis + rank() : axis);
  }

  /// The first `count` extents.
  Shape leading(std::size_t count) const { return Shape(std::span<const std::int64_t>(data(), count)); }

  /// Row-major strides, in elements.
  std::vector<std::int64_t> strides() const;
};

std::ostream& operator<<(std::ostream& out, const Shape& shape);

/// NumPy broadcasting: right-aligned, an extent of 1 stretches. Throws Error
/// naming both shapes when they do not fit.
Shape broadcast(const Shape& a, const Shape& b);
bool broadcastable(const Shape& a, const Shape& b);

/// Whether x broadcasts to `target` without stretching it (one-directional).
bool broadcasts_to(const Shape& x, const Shape& target);

/// Strides with which a row-major tensor of shape x is read as `target`, which
/// x broadcasts to: one per axis of target, 0 on stretched axes.
std::vector<std::int64_t> broadcast_strides(const Shape& x, const Shape& target);

struct TensorType {
  DType dtype = DType::f32;
  Shape shape;

  std::size_t bytes() const { return info(dtype).bytes * static_cast<std::size_t>(shape.elements()); }
  bool operator==(const TensorType&) const = default;
};

std::ostream& operator<<(std::ostream& out, const TensorType& type);

/// Throws Error unless rank <= 8, extents >= 0 and the bytes fit in 63 bits.
void check_type(const TensorType& type);

/// A row-major tensor seen as lines along one axis: outer x length x inner.
struct Lines {
  std::int64_t outer = 1, length = 1, inner = 1;

  std::int64_t count() const { return outer * inner; }

  /// The position of element k of a line.
  std::size_t at(std::int64_t line, std::int64_t k) const {
    return static_cast<std::size_t>((line / inner * length + k) * inner + line % inner);
  }
};

Lines along(const Shape& shape, std::int64_t axis);

/// Lines of neighbouring elements: all axes from `axis` on are the length.
Lines lines_from(const Shape& shape, std::int64_t axis);

}  // namespace plumb::ir
