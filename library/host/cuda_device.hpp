// The memory of a CUDA device, by the driver's library, which is opened when somebody wants it (library.md B).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace plumb::library::host {

struct CudaDriver;

/// A device in its primary context, which libraries built on CUDA's runtime share. It must outlive all memory on it.
class CudaDevice {
 public:
  /// Throws Unsupported, with the reason, where there is no driver or no device of this number.
  explicit CudaDevice(int number);
  ~CudaDevice();

  int number() const { return number_; }
  const CudaDriver& driver() const { return *driver_; }

  /// Waits for all that was started. Gives "" or the driver's name of what went wrong, "CUDA_ERROR_ILLEGAL_ADDRESS",
  /// after which nothing can be done with the device in this process.
  std::string problem_of_work() const;

 private:
  std::unique_ptr<CudaDriver> driver_;
  int number_ = 0;
};

/// Memory of a device; begins at a multiple of 256 bytes. Throws Error where there is none.
class CudaMemory {
 public:
  CudaMemory(const CudaDevice& device, std::size_t size);
  CudaMemory(CudaMemory&& other) noexcept;
  ~CudaMemory();

  std::uintptr_t address() const { return address_; }
  void upload(std::span<const std::byte> from) const;
  void download(std::span<std::byte> to) const;

 private:
  const CudaDevice* device_;
  std::uintptr_t address_ = 0;
};

/// Pages of a device, those of its driver (2 MiB), with addresses before and behind them at which there is nothing.
class CudaPages {
 public:
  /// Holds `content`, whose last byte is the last of a page where `is_at_end`, its first the first otherwise; it begins
  /// at a multiple of `step`. Throws Error where there is no memory.
  CudaPages(const CudaDevice& device, std::span<const std::byte> content, bool is_at_end, std::size_t step);
  CudaPages(const CudaPages&) = delete;
  ~CudaPages();

  void* data() const;

 private:
  const CudaDevice& device_;
  std::size_t page_ = 0, inside_ = 0;
  std::uintptr_t reserved_ = 0, data_ = 0;
};

}  // namespace plumb::library::host
