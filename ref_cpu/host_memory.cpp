// Buffers and params of the CPU executor.
#include "ref_cpu/host_memory.hpp"

#include "ir/raw/copy_bytes.hpp"

namespace plumb::ref_cpu {
namespace {

using Pieces = std::vector<ir::Memory::Piece>;

void copy_pieces(std::span<const std::byte> from, std::span<std::byte> to, const Pieces& pieces) {
  for (const ir::Memory::Piece& piece : pieces)
    ir::raw::copy_bytes(from.subspan(piece.from, piece.bytes), to.subspan(piece.to, piece.bytes));
}

/// A copy behind what was submitted before it. The memory of both ends waits for it before it is freed.
class CopyTask final : public HostTask {
 public:
  CopyTask(std::span<const std::byte> from, std::span<std::byte> to, const Pieces& pieces)
      : from_(from), to_(to), pieces_(pieces) {}

  void run() noexcept override {
    const std::unique_ptr<CopyTask> ends_with_this(this);
    copy_pieces(from_, to_, pieces_);
  }

 private:
  const std::span<const std::byte> from_;
  const std::span<std::byte> to_;
  const Pieces pieces_;
};

}  // namespace

HostMemory::HostMemory(std::size_t bytes) : own_(bytes), bytes_(own_.span()) {}

HostMemory::HostMemory(std::span<std::byte> bytes, std::shared_ptr<const void> owner, std::string refusal, Uses* uses)
    : bytes_(bytes), owner_(std::move(owner)), refusal_(std::move(refusal)) {
  if (uses != nullptr) uses_ = uses;
}

const void* HostMemory::everywhere() {
  static const char place = 0;
  return &place;
}

std::span<std::byte> HostMemory::bytes_of(const ir::Memory& memory) {
  return static_cast<const HostMemory&>(memory).bytes_;
}

std::span<std::byte> HostMemory::mapped() {
  uses_->last().wait();
  return bytes_;
}

void HostMemory::write(std::span<const std::byte> dense, const std::vector<ir::Stretch>& to) {
  uses_->last().wait();
  for (const ir::Stretch& one : to)
    ir::raw::copy_bytes(dense.subspan(one.in_box, one.bytes), bytes_.subspan(one.in_tensor, one.bytes));
}

void HostMemory::read(std::span<std::byte> dense, const std::vector<ir::Stretch>& from) {
  uses_->last_write().wait();
  for (const ir::Stretch& one : from)
    ir::raw::copy_bytes(bytes_.subspan(one.in_tensor, one.bytes), dense.subspan(one.in_box, one.bytes));
}

void HostMemory::copy(ir::Memory& from, const std::vector<Piece>& pieces) {
  Uses& read = uses_of(from);
  for (const Ticket& pending : {read.last_write(), uses_->last()}) {
    const auto queue = pending.is_over() ? nullptr : pending.queue();
    if (queue == nullptr) {
      pending.wait();
      continue;
    }
    auto task = std::make_unique<CopyTask>(bytes_of(from), bytes_, pieces);
    queue->add(*task, std::vector{Use{&read, false}, Use{uses_, true}});
    static_cast<void>(task.release());
    return;
  }
  copy_pieces(bytes_of(from), bytes_, pieces);
}

ir::Buffer HostParams::buffer(std::string_view name) const {
  const auto found = feeds_.find(name);
  ir::require(found != feeds_.end(), "there is no param '", name, "'");
  const ir::Tensor& tensor = found->second;
  // Nobody writes through it: HostMemory says why.
  const std::span<std::byte> bytes(const_cast<std::byte*>(tensor.bytes().data()), tensor.bytes().size());
  const std::string refusal = "it is a param, of which executables may have other forms";
  return {std::make_shared<HostMemory>(bytes, shared_from_this(), refusal, &uses_), tensor.type(),
          ir::cat("param '", name, "'")};
}

void HostParams::replace(std::string_view name, const ir::TensorView& value) {
  uses_.last().wait();
  const std::unique_lock alone(replacing_);
  ir::raw::copy_bytes(value.bytes(), feeds_.find(name)->second.view().bytes());  // programs read it where it is
}

}  // namespace plumb::ref_cpu
