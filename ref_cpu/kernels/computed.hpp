#pragma once

#include <type_traits>

#include "ir/convert.hpp"
#include "ref_cpu/kernels/elements.hpp"
#include "ref_cpu/parallel.hpp"
#include "ref_cpu/scratch.hpp"

namespace plumb::ref_cpu::kernels {

/// The elements of a tensor of T in the type they are computed in: the tensor
/// itself, or a copy of one of 16-bit floats. The tensor must outlive it.
template <class T>
class Computed {
 public:
  using Value = ir::compute_t<T>;

  explicit Computed(const Elements& x) {
    if constexpr (std::is_same_v<T, Value>) {
      values_ = x.as<T>();
    } else {
      const auto stored = x.as<T>();
      copy_.resize(stored.size());
      parallel_for(x.count(), 1 << 15, [&](std::int64_t begin, std::int64_t end) {
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
          copy_[i] = static_cast<Value>(stored[i]);
      });
      values_ = copy_;
    }
  }
  Computed(const Computed&) = delete;
  Computed& operator=(const Computed&) = delete;

  const Value* data() const { return values_.data(); }

 private:
  ScratchRoom<Value> copy_;
  std::span<const Value> values_;
};

/// The elements of a tensor of real numbers in another type, by the rules of the op cast.
template <class To>
ScratchRoom<To> converted(const Elements& x) {
  ScratchRoom<To> made(static_cast<std::size_t>(x.count()));
  ir::visit_number(x.dtype(), [&]<class From>(From) {
    const auto stored = x.as<From>();
    parallel_for(x.count(), 1 << 15, [&](std::int64_t begin, std::int64_t end) {
      for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
        made[i] = ir::convert_value<To>(stored[i]);
    });
  });
  return made;
}

}  // namespace plumb::ref_cpu::kernels
