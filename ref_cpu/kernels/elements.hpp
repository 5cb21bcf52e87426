#pragma once

#include "ir/tensor.hpp"

namespace plumb::ref_cpu::kernels {

/// The elements of a dense tensor without its shape, for which a view allocates memory. Kernels hand scratch on as
/// this.
template <class Byte>
class BasicElements {
 public:
  template <class T>
  using Element = typename ir::BasicView<Byte>::template Element<T>;

  BasicElements() = default;
  BasicElements(ir::DType dtype, std::span<Byte> bytes) : dtype_(dtype), bytes_(bytes) {}
  BasicElements(const ir::BasicView<Byte>& x) : BasicElements(x.dtype(), x.bytes()) {}

  ir::DType dtype() const { return dtype_; }
  std::span<Byte> bytes() const { return bytes_; }
  std::int64_t count() const { return static_cast<std::int64_t>(bytes_.size() / ir::info(dtype_).bytes); }
  BasicElements<const std::byte> as_const() const { return {dtype_, bytes_}; }

  template <class T>
  std::span<Element<T>> as() const {
    ir::require(dtype_ == ir::dtype_of<T>, "elements are ", dtype_, ", read as ", ir::dtype_of<T>);
    return {reinterpret_cast<Element<T>*>(bytes_.data()), bytes_.size() / sizeof(T)};
  }

 private:
  ir::DType dtype_ = ir::DType::f32;
  std::span<Byte> bytes_;
};

using Elements = BasicElements<const std::byte>;
using MutableElements = BasicElements<std::byte>;

}  // namespace plumb::ref_cpu::kernels
