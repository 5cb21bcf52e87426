// Norms are held to what their sums may be off, along the trees of these (verdict.md V31).
#include <gtest/gtest.h>

#include <cmath>

#include "ir/ops/layer_norm.hpp"
#include "ir/ops/lp_norm.hpp"
#include "ir/ops/mean_variance_norm.hpp"
#include "ir/ops/rms_norm.hpp"
#include "tests/parity/bounds/honest_kernels.hpp"

namespace plumb::parity::bounds::norm_limit_test {
namespace {

using ir::Tensor;
using testing::HonestOrder;
using testing::LimitVerdict;

constexpr std::size_t rows = 4;
constexpr float epsilon = 1e-5f;

struct Data {
  std::string name;
  std::function<double(std::size_t row, std::size_t k, double normal)> of;
};

std::vector<Data> kinds_of_data() {
  return {{"normal", [](std::size_t, std::size_t, double z) { return z; }},
          {"far from zero", [](std::size_t, std::size_t, double z) { return 1e5 + z; }},
          {"two values", [](std::size_t, std::size_t, double z) { return z > 0.3 ? 0.7 : -0.2; }},
          {"one value and an outlier", [](std::size_t, std::size_t k, double) { return k == 3 ? 50 : 0.3; }},
          {"a constant", [](std::size_t, std::size_t, double) { return 0.3; }},
          {"small", [](std::size_t, std::size_t, double z) { return 1e-4 * z; }},
          {"sorted", [](std::size_t, std::size_t k, double) { return 0.01 * static_cast<double>(k); }}};
}

Tensor norm_lines(const Data& data, std::size_t n) {
  testing::NormalNumbers numbers(5);
  return testing::tensor_of({rows, static_cast<std::int64_t>(n)},
                            [&](std::size_t i) { return data.of(i / n, i % n, numbers.next()); });
}

enum class Kind { layer, rms, mean_variance };
enum class Mean { pair, rounded };

ir::Op op_of(Kind kind) {
  if (kind == Kind::layer) return ir::ops::LayerNorm{-1, epsilon, false, false};
  if (kind == Kind::rms) return ir::ops::RmsNorm{-1, epsilon, false, false};
  return ir::ops::MeanVarianceNorm{{1}, 1e-9};
}

/// The fault of a kernel; none by default.
struct Fault {
  float epsilon = norm_limit_test::epsilon, inverse = 1;
  bool misses_a_term = false, is_one_pass = false;
};

/// An honest kernel; a mean that is kept as a pair is made up for by the sum of the differences from it.
Tensor made(Kind kind, Mean kept, const Tensor& x, const HonestOrder& order, const Fault& fault = {}) {
  const auto n = static_cast<std::size_t>(x.shape()[1]);
  const auto count = static_cast<float>(n);
  Tensor y(x.type());
  for (std::size_t r = 0; r < rows; ++r) {
    const auto line = x.as<float>().subspan(r * n, n);
    const float mean = kind == Kind::rms ? 0 : order.sum(line) / count;
    std::vector<float> d(line.begin(), line.end());
    for (float& one : d) one -= mean;
    const float rest = kind != Kind::rms && kept == Mean::pair ? order.sum(d) / count : 0;
    std::vector<float> squared = fault.is_one_pass ? std::vector<float>(line.begin(), line.end()) : d;
    if (fault.misses_a_term) squared[0] = 0;
    const float taken_off = fault.is_one_pass ? mean * mean : rest * rest;
    const float variance = std::max(order.dot(squared, squared) / count - taken_off, 0.0f);
    const float inverse = fault.inverse * (kind == Kind::mean_variance ? 1 / (std::sqrt(variance) + 1e-9f)
                                                                       : 1 / std::sqrt(variance + fault.epsilon));
    for (std::size_t k = 0; k < n; ++k) y.as<float>()[r * n + k] = (d[k] - rest) * inverse;
  }
  return y;
}

std::vector<ir::Sum> records(Kind kind, Mean kept, const HonestOrder& order) {
  ir::Sum mean = order.published(ir::SumName::mean, ir::SumUnit::separate);
  mean.is_rounded = kept == Mean::rounded;
  if (kind == Kind::rms) return {order.published(ir::SumName::squares)};
  return {mean, order.published(ir::SumName::variance)};
}

LimitVerdict judged(Kind kind, const Tensor& x, const Tensor& y, const std::vector<ir::Sum>& sums) {
  return testing::limit_verdict(op_of(kind), {x}, y, sums);
}

constexpr Kind kinds[] = {Kind::layer, Kind::rms, Kind::mean_variance};

TEST(NormLimit, HoldsForEveryOrder) {
  for (const Kind kind : kinds)
    for (const Data& data : kinds_of_data())
      for (const std::size_t n : {5, 300, 4093}) {
        if (kind == Kind::mean_variance && data.name == "a constant") continue;  // rounding alone decides of it
        const Tensor x = norm_lines(data, n);
        for (const HonestOrder& order : testing::honest_orders())
          for (const Mean kept : {Mean::pair, Mean::rounded}) {
            const Tensor y = made(kind, kept, x, order);
            const LimitVerdict known = judged(kind, x, y, records(kind, kept, order));
            EXPECT_TRUE(known.comparison.agrees())
                << static_cast<int>(kind) << ' ' << data.name << ' ' << n << ' ' << order.name << ' '
                << static_cast<int>(kept) << ": " << compare::summary(known.comparison);
            EXPECT_TRUE(judged(kind, x, y, {}).comparison.agrees()) << data.name << ' ' << n << ' ' << order.name;
          }
        const LimitVerdict native = judged(kind, x, testing::native_result(op_of(kind), {x}), {});
        EXPECT_LE(native.comparison.ratio(), 0.6) << static_cast<int>(kind) << ' ' << data.name << ' ' << n;
      }
}

TEST(NormLimit, OfNormalNumbersIsFarFromReached) {
  for (const Kind kind : kinds)
    for (const HonestOrder& order : testing::honest_orders()) {
      const Tensor x = norm_lines(kinds_of_data()[0], 4093);
      const LimitVerdict one = judged(kind, x, made(kind, Mean::pair, x, order), records(kind, Mean::pair, order));
      EXPECT_LE(one.comparison.ratio(), 0.5) << order.name;
      EXPECT_EQ(one.settled.replayed + one.settled.wide, 0u) << order.name;
    }
}

/// A mean that goes on as a pair leaves lines far from zero as well known as others; a rounded one does not.
TEST(NormLimit, OfLinesFarFromZeroIsThatOfTheirMean) {
  const Tensor x = norm_lines(kinds_of_data()[1], 300);
  const HonestOrder order = testing::honest_orders()[1];
  const auto of = [&](Mean kept) {
    return judged(Kind::layer, x, made(Kind::layer, kept, x, order), records(Kind::layer, kept, order));
  };
  const LimitVerdict pair = of(Mean::pair), rounded = of(Mean::rounded);
  EXPECT_EQ(pair.telling.informative, 4 * 300u);
  EXPECT_LT(rounded.telling.informative, 4 * 300u);
  EXPECT_LT(1000 * pair.limits[0], rounded.limits[0]);
}

/// Means of lines that rise and fall, by an honest kernel that may miss a term of each.
Tensor means_of(const Tensor& x, const HonestOrder& order, bool misses_a_term) {
  const auto n = static_cast<std::size_t>(x.shape()[1]);
  Tensor means({ir::DType::f32, {rows, 1}});
  for (std::size_t r = 0; r < rows; ++r) {
    std::vector<float> line(x.as<float>().begin() + static_cast<std::ptrdiff_t>(r * n),
                            x.as<float>().begin() + static_cast<std::ptrdiff_t>((r + 1) * n));
    if (misses_a_term) line[n / 2] = 0;
    const float mean = order.sum(line) / static_cast<float>(n);
    for (float& one : line) one -= mean;
    means.as<float>()[r] = mean + order.sum(line) / static_cast<float>(n);
  }
  return means;
}

TEST(NormLimit, OfMeansIsThatOfTheirOwnSums) {
  const ir::Op op = ir::ops::LayerNorm{-1, epsilon, false, false, true};
  testing::NormalNumbers numbers(5);
  std::uint64_t open = 0;
  for (const std::size_t run : {64, 500, 2000}) {
    const Tensor x = testing::tensor_of({rows, 4000}, [&](std::size_t i) {
      return (i % 4000 / run % 2 == 0 ? 1 : -1) * (0.5 + 0.01 * numbers.next());
    });
    for (const HonestOrder& order : testing::honest_orders()) {
      const auto sums = records(Kind::layer, Mean::pair, order);
      const LimitVerdict honest = testing::limit_verdict(op, {x}, means_of(x, order, false), sums, false, 1);
      EXPECT_TRUE(honest.comparison.agrees()) << run << ' ' << order.name << compare::summary(honest.comparison);
      open += honest.settled.open;
      const LimitVerdict wrong = testing::limit_verdict(op, {x}, means_of(x, order, true), sums, false, 1);
      EXPECT_EQ(wrong.comparison.n_bad, rows) << run << ' ' << order.name;
    }
  }
  EXPECT_GT(open, 0u);
}

TEST(NormLimit, SeesWhatIsMissingOrWrong) {
  const Tensor x = norm_lines(kinds_of_data()[0], 300);
  const Tensor far = testing::tensor_of(x.shape(), [&](std::size_t i) { return 30 + double(x.as<float>()[i]); });
  for (const Kind kind : kinds)
    for (const HonestOrder& order : testing::honest_orders()) {
      const auto bad = [&](const Tensor& of, const Fault& fault) {
        const std::vector<ir::Sum> sums = records(kind, Mean::pair, order);
        return judged(kind, of, made(kind, Mean::pair, of, order, fault), sums).comparison.n_bad;
      };
      EXPECT_EQ(bad(x, {}), 0u) << order.name;
      EXPECT_GT(bad(x, {.inverse = 1 + 0x1p-17f}), 100u) << order.name;
      EXPECT_GT(bad(x, {.misses_a_term = true}), 100u) << order.name;
      if (kind != Kind::mean_variance) {
        EXPECT_GT(bad(x, {.epsilon = 2e-5f}), 50u) << order.name;
      }
      if (kind != Kind::rms) {
        EXPECT_GT(bad(far, {.is_one_pass = true}), 100u) << order.name;
      }
    }
}

/// 0 for what is below the smallest normal, as a device may have it.
float flushed(float x) { return std::abs(x) < 0x1p-126f ? 0 : x; }

/// A layer norm or an rms norm that flushes operands and everything it computes.
Tensor made_flushing(Kind kind, const Tensor& x) {
  const auto n = static_cast<std::size_t>(x.shape()[1]);
  const auto count = static_cast<float>(n);
  Tensor y(x.type());
  for (std::size_t r = 0; r < rows; ++r) {
    const auto line = x.as<float>().subspan(r * n, n);
    float total = 0, squares = 0;
    for (const float one : line) total = flushed(total + flushed(one));
    const float mean = kind == Kind::layer ? flushed(total / count) : 0;
    for (const float one : line) {
      const float d = flushed(flushed(one) - mean);
      squares = flushed(squares + flushed(d * d));
    }
    const float inverse = 1 / std::sqrt(flushed(squares / count) + epsilon);
    for (std::size_t k = 0; k < n; ++k) y.as<float>()[r * n + k] = flushed(flushed(flushed(line[k]) - mean) * inverse);
  }
  return y;
}

Tensor lp_norm_flushing(const Tensor& x) {
  const auto n = static_cast<std::size_t>(x.shape()[1]);
  Tensor y(x.type());
  for (std::size_t r = 0; r < rows; ++r) {
    double squares = 0;
    for (const float one : x.as<float>().subspan(r * n, n)) squares += std::pow(static_cast<double>(flushed(one)), 2);
    for (std::size_t k = r * n; k < (r + 1) * n; ++k)
      y.as<float>()[k] = squares > 0 ? static_cast<float>(flushed(x.as<float>()[k]) / std::sqrt(squares)) : 0.0f;
  }
  return y;
}

/// Lines from the smallest subnormal to a few normal numbers: what vanishes of these is allowed where it may be flushed
/// and is seen where it may not (verdict.md V35).
TEST(NormLimit, AllowsWhatADeviceFlushesAndNoMore) {
  testing::NormalNumbers numbers(9);
  const Tensor x = testing::tensor_of({rows, 61}, [&](std::size_t i) {
    const double size = std::ldexp(numbers.next(), static_cast<int>(i % 20) - (i % 61 < 30 ? 149 : 128));
    return i / 61 == 3 ? std::ldexp(size, 20) : size;
  });
  const std::vector<std::pair<ir::Op, Tensor>> all = {{op_of(Kind::layer), made_flushing(Kind::layer, x)},
                                                      {op_of(Kind::rms), made_flushing(Kind::rms, x)},
                                                      {ir::ops::LpNorm{-1, 2}, lp_norm_flushing(x)}};
  for (const auto& [op, y] : all) {
    const LimitVerdict may = testing::limit_verdict(op, {x}, y, {}, true);
    EXPECT_TRUE(may.comparison.agrees()) << op.name() << ": " << compare::summary(may.comparison);
    EXPECT_FALSE(testing::limit_verdict(op, {x}, y, {}).comparison.agrees()) << op.name();
    Tensor wrong = y;  // 2^-100 is no number that vanishes
    wrong.as<float>()[3] += 0x1p-100f;
    EXPECT_TRUE(op.is<ir::ops::LpNorm>() || !testing::limit_verdict(op, {x}, wrong, {}, true).comparison.agrees())
        << op.name();
  }
  const Tensor normal = norm_lines(kinds_of_data()[0], 61);
  for (const ir::Op& op : {op_of(Kind::layer), op_of(Kind::rms), ir::Op(ir::ops::LpNorm{-1, 2})}) {
    const Tensor y = testing::native_result(op, {normal});
    EXPECT_NEAR(testing::limit_verdict(op, {normal}, y, {}, true).comparison.ratio(),
                testing::limit_verdict(op, {normal}, y, {}).comparison.ratio(), 1e-6)
        << op.name() << ": ordinary numbers lose nothing";
  }
}

}  // namespace
}  // namespace plumb::parity::bounds::norm_limit_test
