// Allocates memory of the host's that every executor can import that can import any.
#include "parity/checks/relations/host_buffers.hpp"

#include <algorithm>
#include <new>

namespace plumb::parity::checks::relations {
namespace {

constexpr std::align_val_t alignment{65536};  // Vulkan lets no device ask for more

std::shared_ptr<std::byte> zeros(std::size_t bytes) {
  auto* const first = static_cast<std::byte*>(::operator new(bytes, alignment));
  std::fill_n(first, bytes, std::byte{0});
  return {first, [](std::byte* one) { ::operator delete(one, alignment); }};
}

}  // namespace

void HostBuffers::make(ir::Value value, const ir::TensorType& type) {
  if (type.bytes() > 0) {
    const std::shared_ptr<std::byte> memory = zeros(type.bytes());
    const ir::MutableView view(type, {memory.get(), type.bytes()});
    try {
      buffers_.emplace(value, executor_.import(view, memory, ir::Import::require));
      places_.emplace(value, Place{memory, view});
      return;
    } catch (const ir::Unsupported&) {
      // The executor imports none, or none of this size.
    }
  }
  buffers_.emplace(value, executor_.allocate(type));
}

std::size_t HostBuffers::with_bytes() const {
  const auto has_bytes = [](const auto& one) { return one.second.type().bytes() > 0; };
  return static_cast<std::size_t>(std::ranges::count_if(buffers_, has_bytes));
}

void HostBuffers::write(ir::Value value, const ir::Tensor& tensor) {
  if (const auto place = places_.find(value); place != places_.end())
    std::ranges::copy(tensor.bytes(), place->second.view.bytes().begin());
  else
    buffers_.at(value).write(tensor);
}

ir::Tensor HostBuffers::read(ir::Value value) const {
  if (const auto place = places_.find(value); place != places_.end())
    return ir::Tensor(ir::TensorView(place->second.view.type(), place->second.view.bytes()));
  const ir::Buffer& buffer = buffers_.at(value);
  ir::Tensor tensor(buffer.type());
  buffer.read(tensor.view());
  return tensor;
}

}  // namespace plumb::parity::checks::relations
