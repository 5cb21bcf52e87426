// Fourier transforms; bytes count each operand read once and each result written once.

#include "bench/gpu/case.hpp"
#include "ir/cost.hpp"
#include "ir/ops/fft.hpp"
#include "ir/ops/irfft.hpp"
#include "ir/ops/rfft.hpp"

namespace plumb::bench {
namespace {

/// A transform of a param.
Case transform(std::string name, const ir::Op& op, const ir::TensorType& x) {
  Case made{.name = std::move(name)};
  made.graph.returns(made.graph.add("y", op, {made.graph.param("a", x)}));
  made.bytes = static_cast<double>(ir::bytes_of(made.graph, made.graph.nodes().front()));
  return made;
}

/// Along both of the last axes; bytes count each operand and result of either.
Case transform_of_planes(std::string name, const ir::TensorType& x) {
  Case made{.name = std::move(name)};
  const ir::Value rows = made.graph.add("rows", ir::ops::Fft{}, {made.graph.param("a", x)});
  made.graph.returns(made.graph.add("y", ir::ops::Fft{.axis = 1}, {rows}));
  for (const ir::Node& node : made.graph.nodes()) made.bytes += static_cast<double>(ir::bytes_of(made.graph, node));
  return made;
}

}  // namespace

std::vector<Case> transform_cases(Scale scale) {
  using ir::DType;
  std::vector<Case> cases;
  const auto lines_of = [&](std::int64_t lines) { return scale == Scale::full ? lines : std::int64_t{2}; };
  const auto length_of = [&](std::int64_t n) { return scale == Scale::full || n < 65536 ? n : n / 4; };
  std::vector<std::array<std::int64_t, 2>> complex_lines = {
      {16384, 1000}, {32768, 509}, {16384, 1013}, {256, 65537}};  // the last three have prime lengths
  for (const int bits : {6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 18, 20, 22, 24})
    complex_lines.push_back({std::int64_t{1} << (24 - bits), std::int64_t{1} << bits});
  for (const auto& [lines, n] : complex_lines)
    cases.push_back(
        transform(ir::cat("fft_c64_", lines, "x", n), ir::ops::Fft{}, {DType::c64, {lines_of(lines), length_of(n)}}));
  cases.push_back(transform("fft_c128_8192x1024", ir::ops::Fft{}, {DType::c128, {lines_of(8192), 1024}}));
  cases.push_back(
      transform("fft_c64_axis0_1024x16384", ir::ops::Fft{.axis = 0}, {DType::c64, {1024, lines_of(16384)}}));
  const std::int64_t planes = scale == Scale::full ? 16 : 1;
  cases.push_back(transform_of_planes("fft2_c64_16x1024x1024", {DType::c64, {planes, 1024, 1024}}));
  for (const std::int64_t n : {1024, 4096}) {
    const std::int64_t lines = (std::int64_t{1} << 25) / n;
    cases.push_back(
        transform(ir::cat("rfft_f32_", lines, "x", n), ir::ops::Rfft{}, {DType::f32, {lines_of(lines), n}}));
    cases.push_back(
        transform(ir::cat("irfft_f32_", lines, "x", n), ir::ops::Irfft{}, {DType::c64, {lines_of(lines), n / 2 + 1}}));
  }
  return cases;
}

}  // namespace plumb::bench
