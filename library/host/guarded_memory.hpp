// Tensors in memory with something else around them, for functions that read or write more than is theirs.
#pragma once

#include <sys/mman.h>

#include <memory>
#include <optional>

#include "ir/tensor.hpp"

namespace plumb::library::host {

/// Which elements are in outputs before a call and around every tensor. Integers have no NaN: other bytes than those
/// of `finite`, which is needed besides since a maximum or a comparison hides NaN.
enum class Pattern { nan, finite };

/// Where a tensor lies: between guard zones, or with its last byte as the last of a page, its first as the first.
enum class Placement { guard_zones, end_of_page, start_of_page };

/// One element of the pattern.
std::vector<std::byte> element_of(Pattern pattern, ir::DType dtype);

/// Gives pages back.
struct UnmapPages {
  std::size_t size = 0;
  void operator()(std::byte* memory) const { munmap(memory, size); }
};

/// Memory of one tensor.
class GuardedMemory {
 public:
  static constexpr std::size_t guard_bytes = 4096;

  /// Holds the bytes of `content`, or the pattern where there is none: an output. `align` is a power of two, at most a
  /// page: the tensor begins at a multiple of it, so that at the end of a page a gap may be left.
  GuardedMemory(const ir::TensorType& type, std::optional<ir::TensorView> content, Pattern pattern, Placement placement,
                std::size_t align);
  GuardedMemory(GuardedMemory&&) = default;

  /// Puts other numbers, or the pattern, into memory between guard zones, and the pattern around them again.
  void refill(std::optional<ir::TensorView> content);

  std::byte* data() const { return data_; }
  std::span<const std::byte> bytes() const { return {data_, size_}; }
  /// The tensor and the zones on both sides of it.
  std::span<std::byte> with_zones() const { return {data_ - guard_bytes, size_ + 2 * guard_bytes}; }

  /// "writes 8 bytes behind": how the guard zones were changed; "" where they were not.
  std::string breach() const;

  /// "16 bytes behind": where in the pages that nobody may touch this address is; "" where it is elsewhere.
  std::string place_of(std::uintptr_t address) const;

 private:
  std::unique_ptr<std::byte, UnmapPages> pages_;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  std::vector<std::byte> element_;
  Placement placement_;
};

}  // namespace plumb::library::host
