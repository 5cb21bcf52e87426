#pragma once

#include <algorithm>
#include <memory>
#include <new>

#include "ir/tensor.hpp"

namespace plumb::tests {

/// A tensor in memory that begins `offset` bytes behind a multiple of 65536, the largest that a device may ask of
/// memory that it imports.
struct Pages {
  static constexpr std::align_val_t alignment{65536};

  explicit Pages(const ir::Tensor& tensor, std::size_t offset = 0)
      : bytes(static_cast<std::byte*>(::operator new(tensor.bytes().size() + offset, alignment))),
        view(tensor.type(), {bytes.get() + offset, tensor.bytes().size()}) {
    write(tensor);
  }
  void write(const ir::Tensor& tensor) { std::ranges::copy(tensor.bytes(), view.bytes().begin()); }
  bool holds(const ir::Tensor& tensor) const { return std::ranges::equal(view.bytes(), tensor.bytes()); }

  struct Free {
    void operator()(std::byte* one) const { ::operator delete(one, alignment); }
  };
  std::unique_ptr<std::byte, Free> bytes;
  ir::MutableView view;
};

}  // namespace plumb::tests
