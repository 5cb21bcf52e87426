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

}  // namespace

std::vector<Case> transform_cases(Scale scale) {
  using ir::DType;
  std::vector<Case> cases;
  const auto lines_of = [&](std::int64_t lines) { return scale == Scale::full ? lines : std::int64_t{2}; };
  const auto length_of = [&](std::int64_t n) { return scale == Scale::full || n < 65536 ? n : n / 4; };
  constexpr std::int64_t complex_lines[][2] = {{65536, 256}, {16384, 1024}, {16384, 1000}, {16384, 1013},
                                               {4096, 4096}, {256, 65536},  {16, 1048576}};
  for (const auto& [lines, n] : complex_lines)
    cases.push_back(
        transform(ir::cat("fft_c64_", lines, "x", n), ir::ops::Fft{}, {DType::c64, {lines_of(lines), length_of(n)}}));
  cases.push_back(transform("fft_c128_8192x1024", ir::ops::Fft{}, {DType::c128, {lines_of(8192), 1024}}));
  cases.push_back(
      transform("fft_c64_axis0_1024x16384", ir::ops::Fft{.axis = 0}, {DType::c64, {1024, lines_of(16384)}}));
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
