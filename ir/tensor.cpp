// Tensor memory, aligned and zeroed, and the conversion of whole tensors to another dtype.
#include "ir/tensor.hpp"

#include <cstring>

#include "ir/convert.hpp"
#include "ir/raw/copy_bytes.hpp"

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

Tensor Tensor::shared(TensorType type, std::span<const std::byte> bytes, std::shared_ptr<const void> owner) {
  const TensorView checked(type, bytes);
  const std::size_t width = info(type.dtype).bytes;
  require(reinterpret_cast<std::uintptr_t>(bytes.data()) % width == 0, type,
          " shared at an address that is odd for it");
  require(owner != nullptr, type, " shared without an owner");
  Tensor tensor;
  tensor.type_ = std::move(type);
  tensor.owner_ = std::move(owner);
  tensor.shared_ = bytes;
  return tensor;
}

void Tensor::own() {
  AlignedBytes copy(shared_.size());
  raw::copy_bytes(shared_, copy.span());
  bytes_ = std::move(copy);
  shared_ = {};
  owner_.reset();
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
