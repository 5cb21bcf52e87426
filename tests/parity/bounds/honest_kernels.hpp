#pragma once

#include <functional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "ir/op.hpp"
#include "ir/sums.hpp"
#include "ir/tensor.hpp"
#include "parity/cases/settled.hpp"
#include "parity/compare/compare.hpp"
#include "parity/compare/telling.hpp"

/// Helpers for tests of limits: f32 kernels that add honestly in several orders, and the verdicts of the limits on
/// their results.
namespace plumb::testing {

/// A way to add products in f32, and the same as a kernel publishes it.
struct HonestOrder {
  std::string name;
  std::vector<ir::SumLevel> levels;
  std::function<float(std::span<const float> a, std::span<const float> b)> dot;

  float sum(std::span<const float> terms) const { return dot(terms, std::vector<float>(terms.size(), 1.0f)); }
  ir::Sum published(ir::SumName of, ir::SumUnit unit = ir::SumUnit::fma) const {
    return {.of = of, .unit = unit, .levels = levels, .is_rounded = true};
  }
};

/// One chain, chunks of 64 in a chain, 16 lanes in pairs.
std::vector<HonestOrder> honest_orders();

/// The verdict on a result by the limits of output k of an op, elements that are off by more than half of their first
/// limit looked at one by one.
struct LimitVerdict {
  parity::compare::Comparison comparison;
  parity::cases::Settled settled;
  parity::compare::Telling telling;
  ir::Tensor truth;
  std::vector<double> limits;
};
LimitVerdict limit_verdict(const ir::Op& op, const std::vector<ir::Tensor>& inputs, const ir::Tensor& got,
                           const std::vector<ir::Sum>& sums, bool flushes_subnormals = false, std::size_t k = 0);

/// Output 0 by the CPU executor, in the operands' own dtypes.
ir::Tensor native_result(const ir::Op& op, const std::vector<ir::Tensor>& inputs);

/// A tensor of f32 by element.
ir::Tensor tensor_of(const ir::Shape& shape, const std::function<double(std::size_t)>& element);

/// Normal numbers, always the same for a seed.
class NormalNumbers {
 public:
  explicit NormalNumbers(unsigned seed) : generator_(seed) {}
  double next() { return distribution_(generator_); }

 private:
  std::mt19937 generator_;
  std::normal_distribution<double> distribution_;
};

}  // namespace plumb::testing
