#pragma once

#include <array>
#include <string_view>
#include <vector>

namespace plumb::gpu_vulkan::device {

/// Kernels that go by one idea, of whichever op: what can be turned off together (VulkanOptions::without).
enum class KernelFamily {
  coopmat,            ///< cooperative matrices: products, convolutions, attention
  coopmat_patch,      ///< convolutions by cooperative matrices that stage what taps share once
  coopmat_converted,  ///< attention whose weights become factors in registers
  split_k,            ///< products whose terms are split between workgroups
  split_kv,           ///< attention whose keys are split between workgroups
  tiled_wide,         ///< f32 products, convolutions and attention that read 16 bytes at a time
  tiled,              ///< products and attention by tiles in shared memory, of any dtype
  vector_wide,        ///< products of a few rows or one column that read 16 bytes at a time
  vector,             ///< products of one row or one column
  depthwise,          ///< convolutions whose filters see one channel
  pointwise,          ///< convolutions of one tap as products
  implicit_gemm,      ///< convolutions by tiles in shared memory, of any dtype
  rows,               ///< norms, softmax, scans and transforms of lines that stay in registers
  lines,              ///< norms, softmax, scans and transforms of lines of any length
  selected,           ///< the first few of a line without sorting it
  sorted,             ///< the first few of a line by sorting it
};

constexpr auto enum_names(KernelFamily) {
  return std::array<std::string_view, 16>{
      "coopmat",     "coopmat_patch", "coopmat_converted", "split_k",   "split_kv",      "tiled_wide", "tiled",
      "vector_wide", "vector",        "depthwise",         "pointwise", "implicit_gemm", "rows",       "lines",
      "selected",    "sorted"};
}

using KernelFamilies = std::vector<KernelFamily>;

}  // namespace plumb::gpu_vulkan::device
