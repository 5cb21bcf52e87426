#include "tests/parity/bounds/honest_kernels.hpp"

#include <cmath>

#include "ir/passes/widen.hpp"
#include "parity/bounds/bounded.hpp"
#include "parity/settle/settle.hpp"
#include "ref_cpu/cpu_executor.hpp"

namespace plumb::testing {
namespace {

float chain_dot(std::span<const float> a, std::span<const float> b) {
  float sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum = std::fma(a[k], b[k], sum);
  return sum;
}

float chunked_dot(std::span<const float> a, std::span<const float> b) {
  constexpr std::size_t chunk = 64;
  float sum = 0;
  for (std::size_t first = 0; first < a.size(); first += chunk) {
    const std::size_t count = std::min(chunk, a.size() - first);
    sum += chain_dot(a.subspan(first, count), b.subspan(first, count));
  }
  return sum;
}

float lanes_dot(std::span<const float> a, std::span<const float> b) {
  constexpr std::size_t lanes = 16;
  float partial[lanes] = {};
  for (std::size_t k = 0; k < a.size(); ++k) partial[k % lanes] = std::fma(a[k], b[k], partial[k % lanes]);
  for (std::size_t upper = lanes / 2; upper > 0; upper /= 2)
    for (std::size_t i = 0; i < upper; ++i) partial[i] += partial[i + upper];
  return partial[0];
}

}  // namespace

std::vector<HonestOrder> honest_orders() {
  return {{"chain", {{}}, chain_dot},
          {"chunks", {{.count = 64}, {}}, chunked_dot},
          {"lanes", {{}, {.count = 16, .take = ir::SumTake::every, .join = ir::SumJoin::pair}}, lanes_dot}};
}

LimitVerdict limit_verdict(const ir::Op& op, const std::vector<ir::Tensor>& inputs, const ir::Tensor& got,
                           const std::vector<ir::Sum>& sums, bool flushes_subnormals, std::size_t k) {
  ref_cpu::CpuExecutor cpu;
  ir::TensorTypes types;
  for (const ir::Tensor& input : inputs) types.push_back(input.type());
  const std::vector<ir::TensorView> views(inputs.begin(), inputs.end());
  parity::core::Segment segment = parity::core::segment_of(ir::graph_of(op, types), 0);
  segment.judged.inputs = views;
  const parity::bounds::Manner manner{.arithmetic = parity::bounds::safe_arithmetic(sums),
                                      .flushes_subnormals = flushes_subnormals};
  const parity::bounds::Bounded bounded = parity::bounds::evaluate_bounded(
      cpu, segment, [&](ir::Value v) { return ir::passes::widen(inputs.at(v)); }, manner);
  LimitVerdict verdict;
  const parity::settle::SettledOutput settled =
      parity::settle::settle({cpu, segment, views, sums, manner}, k, bounded, got);
  verdict.settled = settled.counts;
  verdict.truth = bounded.truth.outputs[k];
  verdict.comparison = parity::compare::compare(verdict.truth, got, settled.allowed);
  verdict.telling =
      parity::compare::telling_of(verdict.truth, got.dtype(), settled.allowed, bounded.lines[k], verdict.comparison);
  const auto limits = settled.allowed.limits->probable.as<double>();
  verdict.limits.assign(limits.begin(), limits.end());
  return verdict;
}

ir::Tensor native_result(const ir::Op& op, const std::vector<ir::Tensor>& inputs) {
  ref_cpu::CpuExecutor cpu;
  ir::TensorTypes types;
  for (const ir::Tensor& input : inputs) types.push_back(input.type());
  const parity::core::Segment segment = parity::core::segment_of(ir::graph_of(op, types), 0);
  return parity::core::evaluate(cpu, segment, [&](ir::Value v) { return inputs.at(v); }).outputs.at(0);
}

ir::Tensor tensor_of(const ir::Shape& shape, const std::function<double(std::size_t)>& element) {
  ir::Tensor x({ir::DType::f32, shape});
  const auto values = x.as<float>();
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(element(i));
  return x;
}

}  // namespace plumb::testing
