#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ir/dtype.hpp"

namespace plumb::parity::profile {

/// A product of matrices that a device does at once: (m, k) of `a` by (k, n) of `b` on `c` gives `r`.
struct CooperativeShape {
  std::uint32_t m = 0, n = 0, k = 0;
  ir::DType a = ir::DType::f16, b = ir::DType::f16, c = ir::DType::f32, r = ir::DType::f32;
};

/// The device that the candidate ran on, as results files record it.
struct Device {
  std::string uuid = {};  ///< names it in files: "6a0c...", or "cpu" for the CPU executor
  std::string name = {}, driver_name = {}, driver_info = {};
  std::uint32_t vendor_id = 0, device_id = 0, driver_version = 0, api_version = 0;
  bool is_software = false;
  std::vector<std::pair<std::string, std::string>> float_controls =
      {};  ///< the driver's answers on rounding and subnormals
  std::vector<CooperativeShape> cooperative_shapes = {};
  std::vector<std::pair<std::string, std::string>> profile = {};  ///< its profile_attributes()
};

/// The host and the versions of libraries, as results files record them in addition to build_info().
struct Environment {
  std::string cpu = {};
  std::string cpu_level = {};  ///< the level that the executor's kernels were made for: "v3", "native"
  int threads = 0;
  std::vector<std::pair<std::string, std::string>> libraries = {};  ///< "eigen", "tbb"
};

}  // namespace plumb::parity::profile
