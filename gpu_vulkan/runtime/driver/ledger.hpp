#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <ostream>
#include <utility>

namespace plumb::gpu_vulkan::runtime::driver {

/// Who needs device memory: executables, for constants, params of their own and `run`; shared params; contexts; the
/// caller, for buffers; and transfers, to and from the host.
enum class Holder { executables, params, contexts, buffers, transfers };

/// Bytes of a device's memory, by what they are for. Any thread may change it.
class Ledger {
 public:
  /// Bytes that count as long as it lives. The ledger must outlive it.
  class Entry {
   public:
    Entry() = default;
    Entry(std::atomic<std::uint64_t>& sum, std::uint64_t bytes) : sum_(&sum), bytes_(bytes) { *sum_ += bytes_; }
    Entry(Entry&& other) noexcept : sum_(std::exchange(other.sum_, nullptr)), bytes_(other.bytes_) {}
    Entry& operator=(Entry&& other) noexcept {
      std::swap(sum_, other.sum_);
      std::swap(bytes_, other.bytes_);
      return *this;
    }
    ~Entry() {
      if (sum_ != nullptr) *sum_ -= bytes_;
    }

   private:
    std::atomic<std::uint64_t>* sum_ = nullptr;
    std::uint64_t bytes_ = 0;
  };

  Entry enter(Holder holder, std::uint64_t bytes) const { return {sums_[static_cast<std::size_t>(holder)], bytes}; }

  friend std::ostream& operator<<(std::ostream& out, const Ledger& ledger) {
    constexpr std::array names = {"executables", "params", "contexts", "buffers", "transfers"};
    out << "; held:";
    for (std::size_t i = 0; i < names.size(); ++i)
      out << (i == 0 ? " " : ", ") << names[i] << ' ' << ledger.sums_[i].load() << " bytes";
    return out;
  }

 private:
  mutable std::array<std::atomic<std::uint64_t>, 5> sums_{};
};

}  // namespace plumb::gpu_vulkan::runtime::driver
