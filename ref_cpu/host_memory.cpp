// Buffers and params of the CPU executor.
#include "ref_cpu/host_memory.hpp"

#include "ir/raw/copy_bytes.hpp"

namespace plumb::ref_cpu {

HostMemory::HostMemory(std::size_t bytes) : own_(bytes), bytes_(own_.span()) {}

HostMemory::HostMemory(std::span<std::byte> bytes, std::shared_ptr<const void> owner, std::string refusal)
    : bytes_(bytes), owner_(std::move(owner)), refusal_(std::move(refusal)) {}

const void* HostMemory::everywhere() {
  static const char place = 0;
  return &place;
}

std::span<std::byte> HostMemory::bytes_of(const ir::Memory& memory) {
  return static_cast<const HostMemory&>(memory).bytes_;
}

void HostMemory::write(std::span<const std::byte> dense, const std::vector<ir::Stretch>& to) {
  for (const ir::Stretch& one : to)
    ir::raw::copy_bytes(dense.subspan(one.in_box, one.bytes), bytes_.subspan(one.in_tensor, one.bytes));
}

void HostMemory::read(std::span<std::byte> dense, const std::vector<ir::Stretch>& from) {
  for (const ir::Stretch& one : from)
    ir::raw::copy_bytes(bytes_.subspan(one.in_tensor, one.bytes), dense.subspan(one.in_box, one.bytes));
}

void HostMemory::copy(ir::Memory& from, const std::vector<Piece>& pieces) {
  for (const Piece& piece : pieces)
    ir::raw::copy_bytes(bytes_of(from).subspan(piece.from, piece.bytes), bytes_.subspan(piece.to, piece.bytes));
}

ir::Buffer HostParams::buffer(std::string_view name) const {
  const auto found = feeds_.find(name);
  ir::require(found != feeds_.end(), "there is no param '", name, "'");
  const ir::Tensor& tensor = found->second;
  // Nobody writes through it: HostMemory says why.
  const std::span<std::byte> bytes(const_cast<std::byte*>(tensor.bytes().data()), tensor.bytes().size());
  const std::string refusal = "it is a param, of which executables may have other forms";
  return {std::make_shared<HostMemory>(bytes, shared_from_this(), refusal), tensor.type(),
          ir::cat("param '", name, "'")};
}

void HostParams::replace(std::string_view name, const ir::TensorView& value) {
  ir::raw::copy_bytes(value.bytes(), feeds_.find(name)->second.view().bytes());  // programs read it where it is
}

}  // namespace plumb::ref_cpu
