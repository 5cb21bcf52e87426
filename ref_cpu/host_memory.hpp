#pragma once

#include <mutex>
#include <shared_mutex>

#include "ir/residency.hpp"
#include "ref_cpu/host_queue.hpp"

namespace plumb::ref_cpu {

/// Bytes in the host's memory, for every CPU executor of the process. Whoever reads, writes or maps them waits for the
/// submitted runs that they concern, and so does the memory before it is freed.
class HostMemory final : public ir::Memory {
 public:
  /// Zeros.
  explicit HostMemory(std::size_t bytes);
  /// Bytes that `owner` keeps, and why nobody may write them. `uses`: of the owner, where it has others.
  HostMemory(std::span<std::byte> bytes, std::shared_ptr<const void> owner, std::string refusal, Uses* uses = nullptr);

  static const void* everywhere();
  /// The bytes of memory that has this place.
  static std::span<std::byte> bytes_of(const ir::Memory& memory);
  /// Which tasks use it.
  static Uses& uses_of(const ir::Memory& memory) { return *static_cast<const HostMemory&>(memory).uses_; }

  const void* place() const override { return everywhere(); }
  std::string refusal() const override { return refusal_; }
  std::span<std::byte> mapped() override;
  void write(std::span<const std::byte> dense, const std::vector<ir::Stretch>& to) override;
  void read(std::span<std::byte> dense, const std::vector<ir::Stretch>& from) override;
  /// Behind the tasks that use either, where there are some; the caller does not wait for them.
  void copy(ir::Memory& from, const std::vector<Piece>& pieces) override;

 private:
  ir::AlignedBytes own_;
  std::span<std::byte> bytes_;
  std::shared_ptr<const void> owner_;
  std::string refusal_;
  Uses own_uses_;  // ends before the bytes do
  Uses* uses_ = &own_uses_;
};

/// The params that a graph was compiled with. Runs of any thread read them, and wait for one that is being replaced.
class HostParams final : public ir::Params, public std::enable_shared_from_this<HostParams> {
 public:
  explicit HostParams(ir::Feeds feeds) : feeds_(std::move(feeds)) {}

  const ir::Feeds& feeds() const { return feeds_; }
  ir::Buffer buffer(std::string_view name) const override;
  /// While it lives, none is replaced.
  std::shared_lock<std::shared_mutex> reading() const { return std::shared_lock(replacing_); }
  /// Which tasks read any of them.
  Uses& uses() const { return uses_; }

 private:
  void replace(std::string_view name, const ir::TensorView& value) override;

  ir::Feeds feeds_;
  mutable std::shared_mutex replacing_;
  mutable Uses uses_;
};

}  // namespace plumb::ref_cpu
