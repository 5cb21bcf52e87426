#pragma once

#include "ir/residency.hpp"

namespace plumb::ref_cpu {

/// Bytes in the host's memory, for every CPU executor of the process. What was submitted has run when `submit` returns,
/// so that nothing here waits.
class HostMemory final : public ir::Memory {
 public:
  /// Zeros.
  explicit HostMemory(std::size_t bytes);
  /// Bytes that `owner` keeps, and why nobody may write them.
  HostMemory(std::span<std::byte> bytes, std::shared_ptr<const void> owner, std::string refusal);

  static const void* everywhere();
  /// The bytes of memory that has this place.
  static std::span<std::byte> bytes_of(const ir::Memory& memory);

  const void* place() const override { return everywhere(); }
  std::string refusal() const override { return refusal_; }
  std::span<std::byte> mapped() override { return bytes_; }
  void write(std::span<const std::byte> dense, const std::vector<ir::Stretch>& to) override;
  void read(std::span<std::byte> dense, const std::vector<ir::Stretch>& from) override;
  void copy(ir::Memory& from, const std::vector<Piece>& pieces) override;

 private:
  ir::AlignedBytes own_;
  std::span<std::byte> bytes_;
  std::shared_ptr<const void> owner_;
  std::string refusal_;
};

/// The params that a graph was compiled with.
class HostParams final : public ir::Params, public std::enable_shared_from_this<HostParams> {
 public:
  explicit HostParams(ir::Feeds feeds) : feeds_(std::move(feeds)) {}

  const ir::Feeds& feeds() const { return feeds_; }
  ir::Buffer buffer(std::string_view name) const override;

 private:
  void replace(std::string_view name, const ir::TensorView& value) override;

  ir::Feeds feeds_;
};

}  // namespace plumb::ref_cpu
