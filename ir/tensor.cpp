// Tensor memory, aligned and zeroed, and the conversion of whole tensors to another dtype.
#include "ir/tensor.hpp"

#include <cstring>

#include "ir/convert.hpp"

namespace plumb::ir {

AlignedBytes::AlignedBytes(std::size_t size) : size_(size) {
  if (size == 0) return;
  data_.reset(static_cast<std::byte*>(::operator new(size, std::align_val_t(alignment))));
  std::memset(data_.get(), 0, size);
}

AlignedBytes::AlignedBytes(const AlignedBytes& other) : size_(other.size_) {
  if (size_ == 0) return;
  data_.reset(static_cast<std::byte*>(::operator new(size_, std::align_val_t(alignment))));
  std::memcpy(data_.get(), other.data_.get(), size_);
}

Tensor convert(const TensorView& x, DType to) {
  require(is_complex(to) || !is_complex(x.dtype()), "a complex tensor cannot become ", to);
  Tensor y({to, x.shape()});
  visit_any(x.dtype(), [&]<class From>(From) {
    visit_any(to, [&]<class To>(To) {
      std::ranges::transform(x.as<From>(), y.as<To>().begin(), [](From value) { return convert_value<To>(value); });
    });
  });
  return y;
}

}  // namespace plumb::ir
