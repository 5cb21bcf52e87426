#pragma once

#include <span>

#include "ir/tensor.hpp"
#include "ref_cpu/kernels/strides.hpp"
#include "ref_cpu/scratch.hpp"

namespace plumb::ref_cpu::kernels {

/// An operand that broadcasts to x, line by line in the compute type, where a
/// line is `length` neighbouring elements of x; a constant when there is none.
template <class T>
class Affine {
 public:
  using C = ir::compute_t<T>;

  Affine(const ir::TensorView* operand, const ir::Shape& x, std::int64_t length, C otherwise)
      : Affine(operand, operand == nullptr ? x : operand->shape(), x, length, otherwise) {}
  /// An operand that is taken to be of shape `as`.
  Affine(const ir::TensorView* operand, const ir::Shape& as, const ir::Shape& x, std::int64_t length, C otherwise)
      : shape_(x), held_(static_cast<std::size_t>(length), otherwise) {
    if (operand == nullptr || x.elements() == 0) return;
    strides_ = strides_within(as, x);
    values_ = operand->as<T>();
    std::int64_t covered = 1;  // by the axes from a on
    for (std::size_t a = x.size(); a-- > 0;) {
      covered *= x[a];
      varies_ = varies_ || (strides_[a] != 0 && covered > length);
    }
    if (!varies_) fill(0, held_);
  }

  /// The operand's values on one line; `own` is memory of the caller for them.
  std::span<const C> line(std::int64_t line, ScratchRoom<C>& own) const {
    if (!varies_) return held_;
    own.resize(held_.size());
    fill(line, own);
    return own;
  }

 private:
  void fill(std::int64_t line, ScratchRoom<C>& to) const {
    Strides index{};
    std::int64_t at = 0, position = line * static_cast<std::int64_t>(to.size());
    for (std::size_t a = shape_.size(); a-- > 0; position /= shape_[a]) {
      index[a] = position % shape_[a];
      at += index[a] * strides_[a];
    }
    for (C& value : to) {
      value = static_cast<C>(values_[static_cast<std::size_t>(at)]);
      for (std::size_t a = shape_.size(); a-- > 0;) {
        at += strides_[a];
        if (++index[a] < shape_[a]) break;
        at -= strides_[a] * shape_[a];
        index[a] = 0;
      }
    }
  }

  const ir::Shape& shape_;
  ScratchRoom<C> held_;  ///< the values of every line, unless they vary
  Strides strides_{};
  std::span<const T> values_;
  bool varies_ = false;
};

}  // namespace plumb::ref_cpu::kernels
