// Attention is held to what errors of its scores move its results by, and to what its sums may be off (verdict.md V29,
// V30): over ten kinds of queries, keys and values.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ir/ops/attention.hpp"
#include "tests/parity/bounds/honest_kernels.hpp"

namespace plumb::parity::bounds::attention_limit_test {
namespace {

using ir::Tensor;
using ir::ops::Attention;
using testing::HonestOrder;
using testing::LimitVerdict;

constexpr std::int64_t queries = 5, width = 16, columns = 8;

/// Queries, keys and values of one head, and an op with a bias where there is one.
struct Problem {
  std::string name;
  Attention op = {};
  Tensor q, k, v;
  std::optional<Tensor> bias = {};

  std::vector<Tensor> inputs() const {
    std::vector<Tensor> all = {q, k, v};
    if (bias) all.push_back(*bias);
    return all;
  }
  std::size_t keys() const { return static_cast<std::size_t>(k.shape()[2]); }
};

/// Numbers by row, column and a normal number.
using Numbers = std::function<double(std::size_t row, std::size_t column, double normal)>;

Tensor matrix(std::int64_t rows, std::int64_t wide, unsigned seed, const Numbers& of) {
  testing::NormalNumbers numbers(seed);
  const auto w = static_cast<std::size_t>(wide);
  return testing::tensor_of({1, 1, rows, wide}, [&](std::size_t i) { return of(i / w, i % w, numbers.next()); });
}

Problem problem(std::string name, std::int64_t keys, const Numbers& q, const Numbers& k, const Numbers& v) {
  return {std::move(name), {}, matrix(queries, width, 1, q), matrix(keys, width, 2, k), matrix(keys, columns, 3, v)};
}

/// A normal number of its own for each of a few tokens and each column.
Numbers tokens(std::size_t count, double size) {
  return [=](std::size_t row, std::size_t column, double) {
    testing::NormalNumbers numbers(static_cast<unsigned>(100 + row % count * 64 + column));
    return size * numbers.next();
  };
}

std::vector<Problem> kinds_of_problems(std::int64_t keys) {
  const Numbers normal = [](std::size_t, std::size_t, double z) { return z; };
  const Numbers large = [](std::size_t, std::size_t, double z) { return 4 * z; };
  const Numbers larger = [](std::size_t, std::size_t, double z) { return 100 * z; };
  const Numbers near_one = [](std::size_t, std::size_t, double z) { return 1 + 0.05 * z; };
  const Numbers ones = [](std::size_t, std::size_t, double) { return 1; };
  const Numbers far = [](std::size_t, std::size_t, double z) { return 1000 + z; };
  const Numbers outlier = [](std::size_t row, std::size_t, double z) { return row == 3 ? 1e4 : z; };
  const Numbers sink = [](std::size_t row, std::size_t, double z) { return row == 0 ? 0 : -1.095 + 0.005 * z; };
  std::vector<Problem> all;
  all.push_back(problem("normal", keys, normal, normal, normal));
  all.push_back(problem("large scores", keys, large, large, normal));
  all.push_back(problem("saturated", keys, larger, larger, normal));
  all.push_back(problem("repeated tokens", keys, tokens(2, 4), tokens(5, 4), tokens(5, 1)));
  all.push_back(problem("a sink", keys, ones, sink, near_one));
  all.back().op.scale = 1;
  all.push_back(problem("values far from zero", keys, normal, normal, far));
  all.push_back(problem("one large value", keys, normal, normal, outlier));
  all.push_back(problem("equal values", keys, normal, normal, ones));
  all.push_back(problem("causal", keys, normal, normal, normal));
  all.back().op.causal = true;
  all.back().op.query_offset = 0;
  all.push_back(problem("padded", keys, normal, normal, normal));
  all.back().op.has_bias = true;
  all.back().bias = testing::tensor_of({1, 1, 1, keys}, [=](std::size_t j) {
    return static_cast<std::int64_t>(j) > 2 * keys / 3 ? -1e9 : 0.1 * static_cast<double>(j % 7);
  });
  return all;
}

/// The fault of a kernel; none by default.
struct Fault {
  std::int64_t row_sum_without = -1, values_without = -1;  ///< a key that one of the sums leaves out
  float scores = 1, weights = 1;                           ///< factors of one key's score, and of every other weight
};

/// The scores of a query with the keys that it sees.
std::vector<float> scores_of(const Problem& p, std::size_t i, const HonestOrder& order) {
  const auto scale = static_cast<float>(p.op.scale.value_or(1 / std::sqrt(static_cast<double>(width))));
  std::vector<float> scores;
  for (std::size_t j = 0; j < p.keys() && (!p.op.causal || j <= i); ++j) {
    const float dot = order.dot(p.q.as<float>().subspan(i * width, width), p.k.as<float>().subspan(j * width, width));
    scores.push_back(scale * dot + (p.bias ? p.bias->as<float>()[j] : 0.0f));
  }
  return scores;
}

/// An honest kernel in two passes; `order` is that of all its sums but of the row sum.
Tensor made(const Problem& p, const HonestOrder& order, const HonestOrder& of_row, const Fault& fault = {}) {
  Tensor y({ir::DType::f32, {1, 1, queries, columns}});
  for (std::size_t i = 0; i < queries; ++i) {
    std::vector<float> weights = scores_of(p, i, order);
    weights[weights.size() / 2] *= fault.scores;
    const float top = *std::ranges::max_element(weights);
    for (float& one : weights) one = std::exp(one - top);
    for (std::size_t j = 0; j < weights.size(); j += 2) weights[j] *= fault.weights;
    const auto sum_without = [&](std::int64_t key, const auto& sum) {
      std::vector<float> some = weights;
      if (key >= 0 && static_cast<std::size_t>(key) < some.size()) some[static_cast<std::size_t>(key)] = 0;
      return sum(some);
    };
    const float total = sum_without(fault.row_sum_without, [&](const auto& some) { return of_row.sum(some); });
    for (std::size_t d = 0; d < columns; ++d) {
      std::vector<float> v;
      for (std::size_t j = 0; j < weights.size(); ++j) v.push_back(p.v.as<float>()[j * columns + d]);
      y.as<float>()[i * columns + d] =
          sum_without(fault.values_without, [&](const auto& some) { return order.dot(some, v); }) / total;
    }
  }
  return y;
}

constexpr std::size_t block = 32;

/// An honest kernel with a running maximum, which rescales its sums block after block.
Tensor made_by_blocks(const Problem& p, bool forgets_to_rescale = false) {
  const HonestOrder chain = testing::honest_orders()[0];
  Tensor y({ir::DType::f32, {1, 1, queries, columns}});
  for (std::size_t i = 0; i < queries; ++i) {
    const std::vector<float> scores = scores_of(p, i, chain);
    float top = -std::numeric_limits<float>::infinity(), total = 0, sums[columns] = {};
    for (std::size_t first = 0; first < scores.size(); first += block) {
      const std::size_t last = std::min(first + block, scores.size());
      const float before = top;
      for (std::size_t j = first; j < last; ++j) top = std::max(top, scores[j]);
      const float rescale = forgets_to_rescale && first > 0 ? 1 : std::exp(before - top);
      total *= rescale;
      for (float& sum : sums) sum *= rescale;
      float part = 0, parts[columns] = {};
      for (std::size_t j = first; j < last; ++j) {
        const float weight = std::exp(scores[j] - top);
        part += weight;
        for (std::size_t d = 0; d < columns; ++d)
          parts[d] = std::fma(weight, p.v.as<float>()[j * columns + d], parts[d]);
      }
      total += part;
      for (std::size_t d = 0; d < columns; ++d) sums[d] += parts[d];
    }
    for (std::size_t d = 0; d < columns; ++d) y.as<float>()[i * columns + d] = sums[d] / total;
  }
  return y;
}

Tensor made(const Problem& p, const HonestOrder& order, const Fault& fault = {}) {
  return made(p, order, order, fault);
}

std::vector<ir::Sum> records(const HonestOrder& order, const HonestOrder& of_row) {
  return {order.published(ir::SumName::scores), of_row.published(ir::SumName::row_sum, ir::SumUnit::separate),
          order.published(ir::SumName::values)};
}
std::vector<ir::Sum> records(const HonestOrder& order) { return records(order, order); }

std::vector<ir::Sum> records_of_blocks() {
  const std::vector<ir::SumLevel> levels = {{.count = block}, {}};
  return {{.of = ir::SumName::scores, .unit = ir::SumUnit::fma, .levels = {{}}, .is_rounded = true},
          {.of = ir::SumName::row_sum, .levels = levels, .is_rounded = true, .rescale = block},
          {.of = ir::SumName::values, .unit = ir::SumUnit::fma, .levels = levels, .rescale = block}};
}

LimitVerdict judged(const Problem& p, const Tensor& y, const std::vector<ir::Sum>& sums) {
  return testing::limit_verdict(p.op, p.inputs(), y, sums);
}

TEST(AttentionLimit, HoldsForTenKindsOfData) {
  for (const std::int64_t keys : {1, 33, 1020})
    for (const Problem& p : kinds_of_problems(keys)) {
      for (const HonestOrder& order : testing::honest_orders()) {
        const Tensor y = made(p, order);
        const LimitVerdict known = judged(p, y, records(order)), unknown = judged(p, y, {});
        EXPECT_TRUE(known.comparison.agrees())
            << p.name << ' ' << keys << ' ' << order.name << ": " << compare::summary(known.comparison);
        EXPECT_TRUE(unknown.comparison.agrees()) << p.name << ' ' << keys << ' ' << order.name;
      }
      const LimitVerdict blocks = judged(p, made_by_blocks(p), records_of_blocks());
      EXPECT_TRUE(blocks.comparison.agrees()) << p.name << ' ' << keys << ": " << compare::summary(blocks.comparison);
      const LimitVerdict native = judged(p, testing::native_result(p.op, p.inputs()), {});
      EXPECT_LE(native.comparison.ratio(), p.name == "a sink" ? 1 : 0.6) << p.name << ' ' << keys;
    }
}

/// Data in no particular order stay far below the limit, which says something.
TEST(AttentionLimit, OfNormalNumbersIsFarFromReached) {
  const Problem p = kinds_of_problems(1020)[0];
  for (const HonestOrder& order : testing::honest_orders()) {
    const LimitVerdict one = judged(p, made(p, order), records(order));
    EXPECT_LE(one.comparison.ratio(), 0.5) << order.name;
    EXPECT_EQ(one.settled.replayed + one.settled.wide, 0u) << order.name;
    EXPECT_EQ(one.telling.mistrust(), "") << order.name;
    double largest = 0;
    for (std::size_t e = 0; e < one.limits.size(); ++e) largest = std::max(largest, one.limits[e]);
    EXPECT_LT(largest, 1e-5) << order.name;
  }
}

/// A chain of values loses all keys but the first, and one lane of the row sum loses its own.
TEST(AttentionLimit, OfLostKeysIsTheReplay) {
  const Problem p = kinds_of_problems(8188)[4];
  const HonestOrder chain = testing::honest_orders()[0], lanes = testing::honest_orders()[2];
  const Tensor y = made(p, chain, lanes);
  const LimitVerdict known = judged(p, y, records(chain, lanes));
  EXPECT_TRUE(known.comparison.agrees()) << compare::summary(known.comparison);
  EXPECT_EQ(known.settled.replayed, static_cast<std::uint64_t>(queries * columns));
  EXPECT_EQ(judged(p, y, records(lanes, chain)).settled.replayed, 0u);
  Tensor wrong = y;
  wrong.as<float>()[9] *= 1 + 0x1p-14f;
  const LimitVerdict one = judged(p, wrong, records(chain, lanes));
  EXPECT_EQ(one.settled.replayed, static_cast<std::uint64_t>(queries * columns - 1));
  EXPECT_EQ(one.comparison.n_bad, 1u);  // only what cannot be replayed may creep
}

/// A row that one key has to itself is known to 2⁻²⁰ however wrong its scores may be; a mask of -10⁹ takes all meaning
/// from the scores of a row that has no other, whose results lie between the values, and tell nothing.
TEST(AttentionLimit, OfRowsApartIsWhatTheyAre) {
  const Numbers size = [](std::size_t, std::size_t, double z) { return 300 * z; };
  const Numbers normal = [](std::size_t, std::size_t, double z) { return z; };
  const Problem saturated = problem("saturated", 64, size, size, normal);
  const LimitVerdict one = judged(saturated, testing::native_result(saturated.op, saturated.inputs()), {});
  EXPECT_TRUE(one.comparison.agrees());
  for (std::size_t e = 0; e < one.limits.size(); ++e)
    EXPECT_LE(one.limits[e], 0x1p-20 * std::abs(one.truth.as<double>()[e]) + 0x1p-60) << e;

  Problem padded = problem("padded", 64, normal, normal, normal);
  padded.op.has_bias = true;
  padded.bias = testing::tensor_of({1, 1, queries, 64}, [](std::size_t i) { return i / 64 == 2 ? -1e9 : 0; });
  const LimitVerdict other = judged(padded, testing::native_result(padded.op, padded.inputs()), {});
  EXPECT_TRUE(other.comparison.agrees());
  EXPECT_EQ(other.telling.loose, static_cast<std::uint64_t>(columns));
  EXPECT_EQ(other.telling.informative, static_cast<std::uint64_t>((queries - 1) * columns));
  Tensor outside = testing::native_result(padded.op, padded.inputs());
  outside.as<float>()[2 * columns + 1] = 9;  // no value is as large
  EXPECT_EQ(judged(padded, outside, {}).comparison.n_bad, 1u);
}

TEST(AttentionLimit, OfNoKeysAtAllIsNothing) {
  const Tensor q = testing::tensor_of({1, 1, queries, width}, [](std::size_t) { return 1; });
  const Tensor none = testing::tensor_of({1, 1, 0, width}, [](std::size_t) { return 1; });
  Tensor y = testing::tensor_of({1, 1, queries, width}, [](std::size_t) { return 0; });
  EXPECT_TRUE(testing::limit_verdict(Attention{}, {q, none, none}, y, {}).comparison.agrees());
  y.as<float>()[3] = 1e-30f;
  EXPECT_EQ(testing::limit_verdict(Attention{}, {q, none, none}, y, {}).comparison.n_bad, 1u);
}

TEST(AttentionLimit, OfARowWithoutKeysIsNothing) {
  Problem p = kinds_of_problems(33)[8];
  p.op.query_offset = -2;  // the first two queries see no key
  Tensor y = testing::native_result(p.op, p.inputs());
  EXPECT_TRUE(judged(p, y, {}).comparison.agrees());
  y.as<float>()[3] = 1e-30f;
  EXPECT_EQ(judged(p, y, {}).comparison.n_bad, 1u);
}

/// Values behind the keys in use, as a cache has of earlier sequences, do not hide the keys beside a sink.
TEST(AttentionLimit, OfKeysBesideASinkIsTheirs) {
  const auto limits = [](double hidden) {
    const Numbers normal = [](std::size_t, std::size_t, double z) { return z; };
    const Numbers v = [=](std::size_t row, std::size_t, double z) { return row < 12 ? z : hidden; };
    const Problem p = problem("sink", 16, normal, normal, v);
    const Attention op{.has_kv_lengths = true, .has_sinks = true};
    const std::vector<Tensor> operands = {p.q, p.k, p.v, Tensor::of<std::int64_t>({1}, {12}),
                                          Tensor::of<float>({1}, {1})};
    return testing::limit_verdict(op, operands, testing::native_result(op, operands), {});
  };
  const LimitVerdict clean = limits(0), dirty = limits(0x1p100);
  EXPECT_TRUE(clean.comparison.agrees());
  EXPECT_EQ(clean.limits, dirty.limits);
}

TEST(AttentionLimit, SeesWhatIsMissingOrWrong) {
  const Problem p = kinds_of_problems(1020)[0];
  for (const HonestOrder& order : testing::honest_orders()) {
    const auto bad = [&](const Fault& fault) {
      return judged(p, made(p, order, fault), records(order)).comparison.n_bad;
    };
    EXPECT_EQ(bad({}), 0u) << order.name;
    EXPECT_GT(bad({.row_sum_without = 1019}), 30u) << order.name;
    EXPECT_GT(bad({.values_without = 500}), 30u) << order.name;
    EXPECT_GT(bad({.scores = 1.02f}), 5u) << order.name;
    EXPECT_GT(bad({.weights = 1 + 0x1p-13f}), 20u) << order.name;
  }
  EXPECT_GT(judged(p, made_by_blocks(p, true), records_of_blocks()).comparison.n_bad, 5u);
}

}  // namespace
}  // namespace plumb::parity::bounds::attention_limit_test
