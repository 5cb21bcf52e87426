#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu_vulkan/plan/lower.hpp"
#include "ir/kernels/fourier.hpp"

namespace plumb::gpu_vulkan::kernels::fourier {

using ir::kernels::LongComplex;

/// Complex numbers as a shader of this dtype reads them, one table behind the other.
class RootTables {
 public:
  explicit RootTables(ir::DType part) : is_wide_(part == ir::DType::f64) {}

  /// Where the next one begins.
  std::uint32_t begin() const { return plan::word(std::ssize(bytes_) / (is_wide_ ? 16 : 8)); }
  void add(const LongComplex& z) {
    const auto put = [&](auto value) {
      const auto raw = std::bit_cast<std::array<std::byte, sizeof(value)>>(value);
      bytes_.insert(bytes_.end(), raw.begin(), raw.end());
    };
    for (const long double x : {z.real(), z.imag()})
      if (is_wide_)
        put(static_cast<double>(x));
      else
        put(static_cast<float>(x));
  }
  std::uint32_t add(const std::vector<LongComplex>& numbers) {
    const std::uint32_t at = begin();
    for (const LongComplex& z : numbers) add(z);
    return at;
  }
  /// e^(-2 pi i k step / n) for `count` of k.
  std::uint32_t roots(std::int64_t count, std::int64_t n, std::int64_t step = 1) {
    const std::uint32_t at = begin();
    for (std::int64_t k = 0; k < count; ++k) add(ir::kernels::root_of_unity(k * step, n));
    return at;
  }
  /// The twiddle factors between passes (passes.glsl).
  void passes(const std::vector<std::uint32_t>& radices, std::int64_t size) {
    for (std::int64_t i = 0, rest = size; i + 1 < std::ssize(radices); ++i) {
      const std::int64_t radix = radices[static_cast<std::size_t>(i)];
      for (std::int64_t k = 1; k < radix; ++k) roots(rest / radix, rest, k);
      rest /= radix;
    }
  }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  bool is_wide_;
  std::vector<std::byte> bytes_;
};

}  // namespace plumb::gpu_vulkan::kernels::fourier
