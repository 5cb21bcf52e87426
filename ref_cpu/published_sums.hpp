// How the CPU executor's kernels add up, as they publish it for limits and statistics.
#pragma once

#include <vector>

#include "ir/op.hpp"
#include "ir/sums.hpp"

namespace plumb::ir::ops {
struct Attention;
struct CausalConv;
struct Conv;
struct Convolve;
struct DequantGroupedMatmul;
struct DequantMatmul;
struct DotGeneral;
struct Einsum;
struct Gemm;
struct GroupedMatmul;
struct LogMel;
struct LogSoftmax;
struct Matmul;
struct Reduce;
struct Softmax;
struct WelchPeaks;
}  // namespace plumb::ir::ops

/// How kernels add, for operands of these types: each is defined beside the kernel that does so. What they say is what
/// happens, on every processor and for any number of threads (verdict.md V19); for dtypes, attributes and extents where
/// an order cannot be said in levels, or is somebody else's, they say nothing. Ops that are not listed say nothing.
namespace plumb::ref_cpu {

std::vector<ir::Sum> published_sums(const ir::ops::Attention& op, ir::Types in);
std::vector<ir::Sum> published_sums(const ir::ops::CausalConv& op, ir::Types in);
std::vector<ir::Sum> published_sums(const ir::ops::Conv& op, ir::Types in);
std::vector<ir::Sum> published_sums(const ir::ops::Convolve& op, ir::Types in);
std::vector<ir::Sum> published_sums(const ir::ops::DequantGroupedMatmul& op, ir::Types in);
std::vector<ir::Sum> published_sums(const ir::ops::DequantMatmul& op, ir::Types in);
std::vector<ir::Sum> published_sums(const ir::ops::DotGeneral& op, ir::Types in);
std::vector<ir::Sum> published_sums(const ir::ops::Einsum& op, ir::Types in);
std::vector<ir::Sum> published_sums(const ir::ops::Gemm& op, ir::Types in);
std::vector<ir::Sum> published_sums(const ir::ops::GroupedMatmul& op, ir::Types in);
std::vector<ir::Sum> published_sums(const ir::ops::LogMel& op, ir::Types in);
std::vector<ir::Sum> published_sums(const ir::ops::LogSoftmax& op, ir::Types in);
std::vector<ir::Sum> published_sums(const ir::ops::Matmul& op, ir::Types in);
std::vector<ir::Sum> published_sums(const ir::ops::Reduce& op, ir::Types in);
std::vector<ir::Sum> published_sums(const ir::ops::Softmax& op, ir::Types in);
std::vector<ir::Sum> published_sums(const ir::ops::WelchPeaks& op, ir::Types in);

/// Whether numbers of a dtype are added in f32.
inline bool adds_in_f32(ir::DType dtype) {
  return dtype == ir::DType::f32 || dtype == ir::DType::f16 || dtype == ir::DType::bf16;
}

}  // namespace plumb::ref_cpu
