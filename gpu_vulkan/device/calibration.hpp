#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace plumb::gpu_vulkan::device {

/// m x k by k x n, in a batch of so many.
struct ProductSize {
  std::int64_t m = 1, n = 1, k = 1, batches = 1;
  bool operator==(const ProductSize&) const = default;
};

/// The time of one tile of a kernel.
struct TileTime {
  std::string tile;
  double microseconds = 0;
  bool operator==(const TileTime&) const = default;
};

/// The times of all tiles of one kernel for products of one size.
struct TileTimes {
  std::string kernel;  ///< "matmul_wide"
  ProductSize size = {};
  std::vector<TileTime> times = {};  ///< the fastest first; never empty
  bool operator==(const TileTimes&) const = default;
};

/// The best rate that products of a kernel reached, in multiplications and additions a second.
struct ProductRate {
  std::string kernel;
  double flops = 0;
  bool operator==(const ProductRate&) const = default;
};

/// Measurements by `plumb calibrate` of one device with one driver; all empty where there are none.
struct Calibration {
  double host_to_device = 0, device_to_host = 0;  ///< bytes a second, through staging buffers
  double device_copy = 0;  ///< bytes read and written a second, in device memory; 0 where its clock showed no time
  double submit_microseconds = 0;  ///< from submit to result of a run with one small kernel
  std::vector<ProductRate> rates;
  std::vector<TileTimes> products;

  /// The measured size of that kernel nearest to this one, by the sum of what their logarithms differ by; null where
  /// nothing within a factor of 16 in all was measured.
  const TileTimes* nearest(std::string_view kernel, const ProductSize& size) const;

  bool operator==(const Calibration&) const = default;
};

}  // namespace plumb::gpu_vulkan::device
