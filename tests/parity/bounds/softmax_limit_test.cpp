// Softmax, its logarithm and the logarithm of a sum of exponentials are held to what their sums may be off, along the
// trees of these (verdict.md V28).
#include <gtest/gtest.h>

#include <cmath>

#include "ir/ops/log_softmax.hpp"
#include "ir/ops/reduce.hpp"
#include "ir/ops/softmax.hpp"
#include "tests/parity/bounds/honest_kernels.hpp"

namespace plumb::parity::bounds::softmax_limit_test {
namespace {

using ir::Tensor;
using testing::HonestOrder;
using testing::LimitVerdict;

constexpr std::size_t rows = 4;

struct Data {
  std::string name;
  std::function<double(std::size_t k, double normal)> of;
};

std::vector<Data> kinds_of_data() {
  return {{"normal", [](std::size_t, double z) { return z; }},
          {"large", [](std::size_t, double z) { return 700 + 10 * z; }},
          {"few values", [](std::size_t, double z) { return z > 0 ? 0.7 : -0.3; }},
          {"equal", [](std::size_t, double) { return 0.3; }},
          {"a sink", [](std::size_t k, double z) { return k == 0 ? 17.5 : 0.01 * z; }},
          {"a sink that comes last", [](std::size_t k, double z) { return k == 4092 ? 17.5 : 0.01 * z; }},
          {"saturated", [](std::size_t, double z) { return 1e4 * z; }}};
}

Tensor lines_of(const Data& data, std::size_t n) {
  testing::NormalNumbers numbers(7);
  return testing::tensor_of({rows, static_cast<std::int64_t>(n)},
                            [&](std::size_t i) { return data.of(i % n, numbers.next()); });
}

enum class Kind { softmax, log_softmax, log_sum_exp };

ir::Op op_of(Kind kind) {
  if (kind == Kind::softmax) return ir::ops::Softmax{-1};
  if (kind == Kind::log_softmax) return ir::ops::LogSoftmax{-1};
  return ir::ops::Reduce{ir::ops::ReduceFunction::log_sum_exp, {-1}, true};
}

/// An honest kernel; `terms` may be changed before they are added.
Tensor made(Kind kind, const Tensor& x, const HonestOrder& order,
            const std::function<void(std::vector<float>& terms)>& fault = {}) {
  const auto n = static_cast<std::size_t>(x.shape()[1]);
  Tensor y({ir::DType::f32, {x.shape()[0], kind == Kind::log_sum_exp ? 1 : x.shape()[1]}});
  for (std::size_t r = 0; r < rows; ++r) {
    const auto line = x.as<float>().subspan(r * n, n);
    const float top = *std::ranges::max_element(line);
    std::vector<float> terms(n);
    std::ranges::transform(line, terms.begin(), [top](float one) { return std::exp(one - top); });
    if (fault) fault(terms);
    const float sum = order.sum(terms);
    if (kind == Kind::log_sum_exp) y.as<float>()[r] = top + std::log(sum);
    for (std::size_t k = 0; k < n && kind != Kind::log_sum_exp; ++k)
      y.as<float>()[r * n + k] =
          kind == Kind::softmax ? std::exp(line[k] - top) / sum : (line[k] - top) - std::log(sum);
  }
  return y;
}

LimitVerdict judged(Kind kind, const Tensor& x, const Tensor& y, std::optional<ir::Sum> sum) {
  return testing::limit_verdict(op_of(kind), {x}, y, sum ? std::vector{*sum} : std::vector<ir::Sum>{});
}

ir::Sum record(Kind kind, const HonestOrder& order) {
  return order.published(kind == Kind::log_sum_exp ? ir::SumName::log_sum_exp : ir::SumName::row_sum,
                         ir::SumUnit::separate);
}

constexpr Kind kinds[] = {Kind::softmax, Kind::log_softmax, Kind::log_sum_exp};

TEST(SoftmaxLimit, HoldsForEveryOrder) {
  for (const Kind kind : kinds)
    for (const Data& data : kinds_of_data())
      for (const std::size_t n : {1, 7, 300, 4093}) {
        const Tensor x = lines_of(data, n);
        for (const HonestOrder& order : testing::honest_orders()) {
          const Tensor y = made(kind, x, order);
          const LimitVerdict known = judged(kind, x, y, record(kind, order)), unknown = judged(kind, x, y, {});
          EXPECT_TRUE(known.comparison.agrees()) << static_cast<int>(kind) << ' ' << data.name << ' ' << n << ' '
                                                 << order.name << ": " << compare::summary(known.comparison);
          EXPECT_TRUE(unknown.comparison.agrees()) << data.name << ' ' << n << ' ' << order.name;
        }
        EXPECT_LE(judged(kind, x, testing::native_result(op_of(kind), {x}), {}).comparison.ratio(), 0.6)
            << data.name << ' ' << n;
      }
}

/// Data in no particular order have no element that needs a replay or a wide limit.
TEST(SoftmaxLimit, OfNormalNumbersIsFarFromReached) {
  for (const Kind kind : kinds)
    for (const HonestOrder& order : testing::honest_orders()) {
      const Tensor x = lines_of(kinds_of_data()[0], 4093);
      const LimitVerdict one = judged(kind, x, made(kind, x, order), record(kind, order));
      EXPECT_LE(one.comparison.ratio(), 0.5) << order.name;
      EXPECT_EQ(one.settled.replayed + one.settled.wide, 0u) << order.name;
    }
}

/// One element takes nearly all, and the others are lost in the sum, one after the other.
TEST(SoftmaxLimit, OfTermsThatAreLostIsTheReplay) {
  const HonestOrder chain = testing::honest_orders()[0];
  const Tensor x = lines_of(kinds_of_data()[4], 4093);
  const Tensor y = made(Kind::softmax, x, chain);
  const LimitVerdict one = judged(Kind::softmax, x, y, record(Kind::softmax, chain));
  EXPECT_GT(one.settled.replayed, 0u);
  EXPECT_TRUE(one.comparison.agrees());
  // Without a record the same elements are within what creeping sums may be off, and are counted as such.
  const LimitVerdict unknown = judged(Kind::softmax, x, y, {});
  EXPECT_TRUE(unknown.comparison.agrees());
  EXPECT_EQ(unknown.settled.replayed, 0u);
  EXPECT_GT(unknown.settled.wide, 0u);
  // With one that says otherwise they are in none of both.
  const LimitVerdict other = judged(Kind::softmax, x, y, record(Kind::softmax, testing::honest_orders()[2]));
  EXPECT_EQ(other.settled.replayed + other.settled.wide, 0u);
  EXPECT_FALSE(other.comparison.agrees());
}

TEST(SoftmaxLimit, SeesATermThatIsMissingOrCounted) {
  for (const Kind kind : kinds)
    for (const HonestOrder& order : testing::honest_orders())
      for (const float factor : {0.0f, 2.0f, 1.02f}) {
        const Tensor x = lines_of(kinds_of_data()[0], 300);
        const Tensor y = made(kind, x, order, [&](std::vector<float>& terms) { terms[17] *= factor; });
        EXPECT_GT(judged(kind, x, y, record(kind, order)).comparison.n_bad, 0u) << order.name << ' ' << factor;
      }
}

/// Exponentials of 2⁻¹⁶, and results scaled by that much.
TEST(SoftmaxLimit, SeesBitsThatAreMissing) {
  const Tensor x = lines_of(kinds_of_data()[0], 300);
  for (const HonestOrder& order : testing::honest_orders()) {
    Tensor y = made(Kind::softmax, x, order);
    for (float& one : y.as<float>()) one *= 1 + 0x1p-17f;
    EXPECT_GT(judged(Kind::softmax, x, y, record(Kind::softmax, order)).comparison.n_bad, 300u) << order.name;
  }
}

}  // namespace
}  // namespace plumb::parity::bounds::softmax_limit_test
