#pragma once

#include <string>
#include <vector>

#include "parity/verify/verify.hpp"

namespace plumb::bench {

/// One op on tensors of one shape, dtype and distribution.
struct Setting {
  std::string family, name;  ///< "gemm", "gemm 64x256x64 f16 uniform -1 to 1"
  ir::DType dtype;
  std::shared_ptr<const ir::formats::GraphFile> file;

  parity::cases::Case with_seed(std::uint64_t seed) const;
};

/// GEMM, convolution, softmax, layer norm, attention, reduction and gather, on three shapes, three distributions,
/// f32 and f16.
std::vector<Setting> settings();

}  // namespace plumb::bench
