#pragma once

#include <functional>
#include <span>
#include <vector>

#include "ir/op.hpp"
#include "ir/tensor.hpp"
#include "parity/element/real.hpp"

namespace plumb::parity::element {

using Position = std::vector<std::int64_t>;

/// An operand: what it is, and its elements by their flat row-major indices.
struct Operand {
  const ir::TensorType* type;
  std::function<Number(std::int64_t)> element;
  const ir::TensorView* given = nullptr;        ///< where nothing computes its elements: these
  std::function<void(std::int64_t)> look = {};  ///< takes note that so many of `given` are looked at; throws NoAnswer
};

/// Elements of an operand at equal distances, from that of flat index `first` on.
struct Stretch {
  std::int64_t first, step;
};

/// One element that an oracle is asked for, and the operands of the op.
class Call {
 public:
  Call(std::span<const Operand> operands, const ir::TensorType& out, std::size_t output, Position at);

  const ir::Shape& in(std::size_t operand) const { return operands_[operand].type->shape; }
  ir::DType dtype_in(std::size_t operand) const { return operands_[operand].type->dtype; }
  std::size_t operands() const { return operands_.size(); }
  const ir::Shape& out() const { return out_.shape; }
  ir::DType dtype_out() const { return out_.dtype; }
  std::size_t output() const { return output_; }
  /// Where the element is.
  const Position& at() const { return at_; }
  std::int64_t at(std::size_t axis) const { return at_[axis]; }

  /// An element of an operand.
  Number number(std::size_t operand, std::span<const std::int64_t> at) const;
  Real real(std::size_t operand, std::span<const std::int64_t> at) const { return number(operand, at).re; }
  Real real(std::size_t operand, std::initializer_list<std::int64_t> at) const {
    return number(operand, std::span(at.begin(), at.size())).re;
  }
  std::int64_t whole(std::size_t operand, std::span<const std::int64_t> at) const;
  std::int64_t whole(std::size_t operand, std::initializer_list<std::int64_t> at) const {
    return whole(operand, std::span(at.begin(), at.size()));
  }
  /// By its flat index.
  Number number(std::size_t operand, std::int64_t index) const { return operands_[operand].element(index); }
  /// The element that broadcasting puts at `at`: right-aligned, extents of 1 stretched.
  Number stretched(std::size_t operand, std::span<const std::int64_t> at) const {
    return operands_[operand].element(stretched_index(operand, at));
  }
  Number stretched(std::size_t operand) const { return stretched(operand, at_); }
  /// Its flat index.
  std::int64_t stretched_index(std::size_t operand, std::span<const std::int64_t> at) const;
  /// Adds the products of so many elements of two operands, as looking at one after the other does.
  void add_products(Sum& sum, std::size_t a, const Stretch& of_a, std::size_t b, const Stretch& of_b,
                    std::int64_t count) const;
  /// An index as one from 0 on, of so many. Throws NoAnswer where it is none: the reference refuses it.
  std::int64_t index(std::size_t operand, std::span<const std::int64_t> at, std::int64_t extent) const;

  /// A real attribute, rounded to the type that the op computes in (ops.md 1.3).
  long double attribute(double x) const;

 private:
  std::span<const Operand> operands_;
  const ir::TensorType& out_;
  std::size_t output_;
  Position at_;
};

/// The position of a flat row-major index, and back.
Position position_of(std::int64_t index, const ir::Shape& shape);
std::int64_t index_of(std::span<const std::int64_t> at, const ir::Shape& shape);

/// Calls `visit` with every position of a box of these extents, the last axis first.
template <class Visit>
void for_each(std::span<const std::int64_t> extents, const Visit& visit) {
  for (const std::int64_t extent : extents)
    if (extent == 0) return;
  Position at(extents.size(), 0);
  while (true) {
    visit(at);
    std::size_t axis = at.size();
    while (axis > 0 && ++at[axis - 1] == extents[axis - 1]) at[--axis] = 0;
    if (axis == 0) return;
  }
}

/// Entry `i` of a list of geometry, which may be empty.
inline std::int64_t entry(const std::vector<std::int64_t>& list, std::size_t i, std::int64_t otherwise) {
  return list.empty() ? otherwise : list[i];
}

/// An axis that may count from the end.
inline std::size_t axis_of(std::int64_t axis, std::size_t rank) {
  return static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis);
}

/// Whole numbers that are exact, or NoAnswer.
std::int64_t whole(Number x);
/// x in the dtype's own bits, wrapped.
inline Number wrap(ir::DType dtype, std::uint64_t bits) { return {Real(wrapped(dtype, bits))}; }

}  // namespace plumb::parity::element
