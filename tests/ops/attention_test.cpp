#include "ir/ops/attention.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "tests/support/cases/attention_cases.hpp"
#include "tests/support/gpu.hpp"
#include "tests/support/op_check.hpp"

namespace plumb::attention_test {
namespace {

using ir::DType;
using ir::Tensor;
using ir::ops::Attention;
using ir::ops::AttentionLayout;
using testing::check_op;

constexpr float infinity = std::numeric_limits<float>::infinity();
const float nan = std::numeric_limits<float>::quiet_NaN();

class AttentionCases : public ::testing::TestWithParam<tests::AttentionCase> {};

TEST_P(AttentionCases, MeetTheTruth) { check_op(GetParam().op, tests::operands_of(GetParam(), DType::f32)); }

INSTANTIATE_TEST_SUITE_P(, AttentionCases, ::testing::ValuesIn(tests::attention_cases()),
                         [](const auto& tested) { return tested.param.name; });

/// Their numbers: f16 and bf16 take them in turn.
class AttentionCasesInSixteenBits : public ::testing::TestWithParam<std::size_t> {};

TEST_P(AttentionCasesInSixteenBits, MeetTheTruth) {
  const tests::AttentionCase c = tests::attention_cases()[GetParam()];
  for (const DType dtype : {DType::f16, DType::bf16})
    if (testing::takes_case(dtype, GetParam())) check_op(c.op, tests::operands_of(c, dtype));
}

INSTANTIATE_TEST_SUITE_P(, AttentionCasesInSixteenBits,
                         ::testing::Range<std::size_t>(0, tests::attention_cases().size()),
                         [](const auto& tested) { return tests::attention_cases()[tested.param].name; });

TEST(Attention, InSixteenBits) {
  const tests::AttentionCase c{
      "", {2, 4, 2, 35, 45, 64, 64}, {.causal = true, .has_mask = true, .has_bias = true}, {2, 1, 1, 45}, {35, 45}};
  for (const DType dtype : {DType::f16, DType::bf16}) check_op(c.op, tests::operands_of(c, dtype));
}

/// Expects the same of both executors.
void check_both(const Attention& op, const std::vector<Tensor>& operands, const Tensor& y) {
  testing::check_cpu(op, operands, {y});
  testing::check_gpu(op, operands, {y});
}

Tensor row(std::vector<float> values) {
  const auto n = static_cast<std::int64_t>(values.size());
  return Tensor::of<float>({1, 1, n, 1}, values);
}

Tensor mask(std::vector<bool> values, ir::Shape shape) {
  Tensor tensor({DType::boolean, std::move(shape)});
  std::ranges::copy(values, tensor.as<bool>().begin());
  return tensor;
}

TEST(Attention, ByHand) {
  // One query of 0 weighs all keys alike; the causal first query sees its own key only.
  check_both({}, {row({0}), row({5, -9, 2}), row({1, 2, 6})}, row({3}));
  check_both({.causal = true}, {row({0, 0, 0}), row({5, -9, 2}), row({1, 2, 6})}, row({1, 1.5f, 3}));
  check_both({.left_window_size = 1, .right_window_size = 0}, {row({0, 0, 0}), row({5, -9, 2}), row({1, 2, 6})},
             row({1, 1.5f, 4}));
  // More queries than keys: the first rows come before every key.
  check_both({.causal = true}, {row({0, 0, 0}), row({1}), row({7})}, row({0, 0, 7}));
}

TEST(Attention, ARowWithNoAllowedKeyIsZero) {
  const std::vector<Tensor> qkv = {row({1, 1}), row({1, 2}), row({nan, infinity})};
  auto masked = qkv;
  masked.push_back(mask({false, false}, {1, 2}));
  check_both({.has_mask = true}, masked, row({0, 0}));
  auto biased = qkv;
  biased.push_back(Tensor::of<float>({1}, {-infinity}));
  check_both({.has_bias = true}, biased, row({0, 0}));
}

TEST(Attention, AHiddenKeyHasNoInfluence) {
  for (const float poison : {nan, infinity, -infinity}) {
    const Tensor k = row({1, poison, 1}), v = row({2, poison, 4});
    check_both({.has_mask = true}, {row({1, 1}), k, v, mask({true, false, true}, {3})}, row({3, 3}));
    check_both({.has_bias = true}, {row({1, 1}), k, v, Tensor::of<float>({3}, {0, -infinity, 0})}, row({3, 3}));
    check_both({.causal = true}, {row({1, 1}), row({1, poison}), row({2, poison})}, row({2, nan}));
    check_both({.has_kv_lengths = true},
               {row({1}), row({1, poison}), row({2, poison}), Tensor::of<std::int32_t>({1}, {1})}, row({2}));
  }
}

/// Heads of which whole pieces are read; the last key is out of sight of all queries but the last.
TEST(Attention, AHiddenKeyOfWideHeadsHasNoInfluence) {
  const tests::AttentionCase c{"", {1, 2, 1, 40, 40, 24, 16}, {.causal = true}, {}, {}};
  for (const float poison : {nan, infinity, -infinity})
    for (const std::size_t operand : {1, 2})
      for (const DType dtype : {DType::f16, DType::bf16, DType::f32}) {
        auto operands = tests::operands_of(c, DType::f32);
        const auto values = operands[operand].as<float>();
        values[values.size() - 3] = poison;
        for (Tensor& tensor : operands) tensor = ir::convert(tensor, dtype);
        check_op(c.op, operands);
      }
}

/// Values of which a sum of weights above 1 would be infinite, or weights below the smallest normal number make
/// something beside them; a hidden one that is far larger than all others.
TEST(Attention, ValuesOfAllMagnitudes) {
  const tests::AttentionCase plain{"", {1, 2, 1, 70, 140, 64, 48}, {.scale = 4}},
      causal{"", {1, 2, 1, 40, 40, 24, 16}, {.causal = true}}, few{"", {1, 2, 1, 2, 300, 64, 48}, {.scale = 4}};
  for (const auto& c : {plain, causal, few})
    for (const float factor : {1e-30f, 1e11f, 1e13f, 1e30f})
      for (const DType dtype : {DType::bf16, DType::f32}) {
        auto operands = tests::operands_of(c, DType::f32);
        const auto values = operands[2].as<float>();
        for (float& value : values) value *= factor;
        if (c.op.causal) values[values.size() - 3] = 1e11f;
        for (Tensor& tensor : operands) tensor = ir::convert(tensor, dtype);
        check_op(c.op, operands);
      }
}

/// In one block of keys and in another, in one row of many and in all of them.
TEST(Attention, ASpecialScoreOfManyQueriesIsAsThatOfOne) {
  const tests::AttentionCase plain{"", {1, 1, 1, 70, 300, 8, 12}, {}}, causal{"", plain.n, {.causal = true}};
  for (const auto& c : {plain, causal})
    for (const float special : {nan, infinity, -infinity})
      for (const std::size_t operand : {0, 1, 2})
        for (const std::size_t at : {3, 270}) {
          auto operands = tests::operands_of(c, DType::f32);
          operands[operand].as<float>()[at] = special;
          check_op(c.op, operands);
        }
}

TEST(Attention, RowsOfManyQueriesThatSeeNothingOrWeighNothing) {
  const std::int64_t queries = 50, keys = 140;
  Tensor q({DType::f32, {1, 1, queries, 4}}), k({DType::f32, {1, 1, keys, 4}}), v({DType::f32, {1, 1, keys, 4}});
  Tensor y({DType::f32, {1, 1, queries, 4}}), shown({DType::boolean, {queries, 1}});
  std::ranges::fill(q.as<float>(), 1.0f);
  std::ranges::fill(k.as<float>(), -infinity);
  std::ranges::fill(v.as<float>(), 2.0f);
  std::ranges::fill(y.as<float>(), nan);  // every score is -inf
  check_both({}, {q, k, v}, y);
  for (std::int64_t i = 0; i < queries; ++i) shown.as<bool>()[static_cast<std::size_t>(i)] = i % 3 == 0;
  for (std::int64_t e = 0; e < 4 * queries; ++e) y.as<float>()[static_cast<std::size_t>(e)] = e / 4 % 3 == 0 ? nan : 0;
  check_both({.has_mask = true}, {q, k, v, shown}, y);
  k.as<float>()[4 * 139] = k.as<float>()[4 * 139 + 1] = k.as<float>()[4 * 139 + 2] = k.as<float>()[4 * 139 + 3] = 1;
  for (std::int64_t e = 0; e < 4 * queries; ++e) y.as<float>()[static_cast<std::size_t>(e)] = e / 4 % 3 == 0 ? 2 : 0;
  check_both({.has_mask = true}, {q, k, v, shown}, y);
}

/// Whole slices of the keys are hidden or weigh nothing, for some queries or for all.
TEST(Attention, SlicesWithoutKeysThatWeigh) {
  const std::int64_t queries = 3, keys = 1000;
  Tensor q({DType::f32, {1, 2, queries, 4}}), k({DType::f32, {1, 1, keys, 4}}), v({DType::f32, {1, 1, keys, 4}});
  Tensor y({DType::f32, {1, 2, queries, 4}}), shown({DType::boolean, {queries, keys}});
  std::ranges::fill(q.as<float>(), 1.0f);
  std::ranges::fill(k.as<float>(), 1.0f);
  for (std::size_t e = 0; e < 4 * keys; ++e) v.as<float>()[e] = e / 4 == 700 ? 5 : nan;
  // Query 0 sees nothing, 1 one key, 2 that key and, beside it, keys of score -inf with values of 1.
  shown.as<bool>()[1 * keys + 700] = shown.as<bool>()[2 * keys + 700] = true;
  for (std::size_t j = 0; j < 200; ++j) {
    shown.as<bool>()[2 * keys + j] = true;
    for (std::size_t d = 0; d < 4; ++d) {
      k.as<float>()[4 * j + d] = -infinity;
      v.as<float>()[4 * j + d] = 1;
    }
  }
  for (std::size_t e = 0; e < y.as<float>().size(); ++e) y.as<float>()[e] = e / 4 % 3 == 0 ? 0 : 5;
  check_both({.has_mask = true}, {q, k, v, shown}, y);
}

TEST(Attention, ASpecialScoreOfFewQueriesIsAsThatOfOne) {
  const tests::AttentionCase plain{"", {1, 4, 2, 1, 600, 8, 16}, {}},
      causal{"", {1, 4, 2, 3, 600, 8, 16}, {.causal = true}};
  for (const auto& c : {plain, causal})
    for (const float special : {nan, infinity, -infinity})
      for (const std::size_t operand : {0, 1, 2})
        for (const std::size_t at : {3, 4700})
          for (const DType dtype : {DType::f16, DType::f32}) {
            auto operands = tests::operands_of(c, DType::f32);
            const auto values = operands[operand].as<float>();
            values[std::min(at, values.size() - 1)] = special;
            for (Tensor& tensor : operands) tensor = ir::convert(tensor, dtype);
            check_op(c.op, operands);
          }
}

TEST(Attention, FewQueriesInBf16) {
  const tests::AttentionCase c{"", {2, 4, 2, 2, 515, 64, 64}, {.causal = true}};
  check_op(c.op, tests::operands_of(c, DType::bf16));
}

/// Operands of 8 columns, of which all rows are alike, and what they give.
struct Rows {
  std::vector<float> q, k, v, y;
};

void check_in_sixteen_bits(const Attention& op, const Rows& rows, const std::vector<Tensor>& others = {}) {
  for (const DType dtype : {DType::f16, DType::bf16}) {
    const auto wide = [&](const std::vector<float>& values) {
      std::vector<float> all;
      for (const float value : values) all.insert(all.end(), 8, value);
      return ir::convert(Tensor::of<float>({1, 1, static_cast<std::int64_t>(values.size()), 8}, all), dtype);
    };
    std::vector<Tensor> operands = {wide(rows.q), wide(rows.k), wide(rows.v)};
    for (const Tensor& x : others) operands.push_back(x.dtype() == DType::boolean ? x : ir::convert(x, dtype));
    check_both(op, operands, wide(rows.y));
  }
}

TEST(Attention, InfinitiesAndNaNsOfVInSixteenBits) {
  const Attention masked{.has_mask = true}, plain{};
  for (const float poison : {nan, infinity, -infinity}) {
    check_in_sixteen_bits(plain, {{0, 0}, {1, 1, 1}, {2, poison, 4}, {poison, poison}});
    check_in_sixteen_bits(masked, {{0, 0}, {1, 1, 1}, {2, poison, 4}, {3, poison}},
                          {mask({true, false, true, true, true, false}, {2, 3})});
    check_in_sixteen_bits({.causal = true}, {{0, 0, 0}, {1, 1, 1}, {2, 4, poison}, {2, 3, poison}});
  }
  check_in_sixteen_bits(plain, {{0}, {1, 1}, {infinity, -infinity}, {nan}});
  std::vector<float> v(200, 3);  // in some block of many
  v[130] = infinity;
  check_in_sixteen_bits(plain, {{0, 1}, std::vector<float>(200, 1), v, {infinity, infinity}});
}

TEST(Attention, SinksInSixteenBits) {
  const Attention op{.has_sinks = true};
  const auto sink = [](float x) { return Tensor::of<float>({1}, {x}); };
  check_in_sixteen_bits(op, {{0, 0}, {1, 1, 1}, {4, 4, 4}, {3, 3}}, {sink(0)});
  check_in_sixteen_bits(op, {{0, 0}, {1, 1, 1}, {4, 4, 4}, {4, 4}}, {sink(-infinity)});
  for (const float special : {nan, infinity})
    check_in_sixteen_bits(op, {{0, 0}, {1, 1, 1}, {4, 4, 4}, {nan, nan}}, {sink(special)});
  check_in_sixteen_bits({.has_mask = true, .has_sinks = true}, {{0, 0}, {1, 1, 1}, {6, nan, 6}, {0, 4}},
                        {mask({false, false, false, true, false, true}, {2, 3}), sink(0)});
  check_in_sixteen_bits(op, {{1}, {-infinity, -infinity}, {5, 3}, {0}}, {sink(2)});
  check_in_sixteen_bits(op, {{1}, {1, 2}, {5, 3}, {0}}, {sink(20000)});  // far above all scores
  // A NaN behind keys of score -inf, in a block of its own: a mask makes each block look at its scores one by one.
  std::vector<float> k(300, -infinity);
  k[250] = nan;
  const std::vector<float> q(70, 1), v(300, 5), y(70, nan);  // too many queries to split keys instead
  check_in_sixteen_bits({.has_mask = true, .has_sinks = true}, {q, k, v, y}, {mask({true}, {1, 1}), sink(0)});
}

TEST(Attention, ScoresOfSixteenBitsAtTheirLimits) {
  // One key's weight is all of it, whenever it comes; a negative scale, and one of 0.
  std::vector<float> k(200, -8), v(200, 5);
  k[150] = 8;
  v[150] = 3;
  check_in_sixteen_bits({.scale = 1}, {{8, 8}, k, v, {3, 3}});
  check_in_sixteen_bits({.scale = -1}, {{-8, -8}, k, v, {3, 3}});
  check_in_sixteen_bits({.scale = 0}, {{8}, {1, 9}, {2, 4}, {3}});
  // Scores of -inf weigh nothing unless alone, those of inf and NaN take their row.
  check_in_sixteen_bits({}, {{1}, {-infinity, 2}, {5, 3}, {3}});
  check_in_sixteen_bits({}, {{1}, {-infinity, -infinity}, {5, 3}, {nan}});
  check_in_sixteen_bits({}, {{1}, std::vector<float>(64, -infinity), std::vector<float>(64, 5), {nan}});
  check_in_sixteen_bits({}, {{1, 1}, {infinity, 2}, {5, 3}, {nan, nan}});
  check_in_sixteen_bits({}, {{1, nan}, {1, 2}, {3, 3}, {3, nan}});
  check_in_sixteen_bits({}, {{1, 1}, std::vector<float>(100, nan), std::vector<float>(100, 2), {nan, nan}});
  // None allowed, or none that weighs.
  check_in_sixteen_bits({.has_mask = true}, {{1, 1}, {1, 2}, {nan, infinity}, {0, 0}}, {mask({false, false}, {1, 2})});
  const Tensor bias = Tensor::of<float>({1}, {-infinity});
  check_in_sixteen_bits({.has_bias = true}, {{1}, {1, 2}, {nan, infinity}, {0}}, {bias});
}

TEST(Attention, ANaNScoreOfAnAllowedKeyTakesItsRow) {
  check_both({}, {row({1, nan}), row({1, 2}), row({3, 3})}, row({3, nan}));
  check_both({}, {row({1, 1}), row({1, nan}), row({3, 3})}, row({nan, nan}));
  check_both({.has_bias = true}, {row({1, 1}), row({1, 2}), row({3, 3}), Tensor::of<float>({2, 1}, {0, nan})},
             row({3, nan}));
  check_both({}, {row({1, 1}), row({infinity, 2}), row({3, 3})}, row({nan, nan}));
}

TEST(Attention, AnAllowedKeyOfScoreMinusInfinityWeighsNothingUnlessAlone) {
  check_both({}, {row({1}), row({-infinity, 2}), row({5, 3})}, row({3}));
  check_both({}, {row({1}), row({-infinity, -infinity}), row({5, 3})}, row({nan}));
  std::vector<float> k(200, -infinity), v(200, 5);  // blocks of keys of which none weighs
  k[199] = 1;
  v[199] = 3;
  check_both({}, {row({1}), row(k), row(v)}, row({3}));
}

TEST(Attention, ScoresBeyondTheRangeOfExp) {
  check_both({.scale = 1}, {row({1}), row({1e4f, -1e4f, 1e4f}), row({1, 7, 3})}, row({2}));
  check_both({.scale = 1}, {row({-1}), row({1e4f, -1e4f, 1e4f}), row({1, 7, 3})}, row({7}));
}

/// Queries that weigh all keys alike, of which the first sees none, and whose heads have these sinks; those of y.
void check_sinks(std::int64_t queries, std::int64_t keys, std::vector<float> sinks, std::vector<float> y) {
  const auto heads = static_cast<std::int64_t>(sinks.size());
  Tensor q({DType::f32, {1, heads, queries, 4}}), k({DType::f32, {1, 1, keys, 4}}), v({DType::f32, {1, 1, keys, 4}});
  Tensor shown({DType::boolean, {queries, 1}}), expected({DType::f32, {1, heads, queries, 4}});
  std::ranges::fill(k.as<float>(), 1.0f);
  std::ranges::fill(v.as<float>(), 3.0f);
  for (std::size_t i = 1; i < shown.as<bool>().size(); ++i) shown.as<bool>()[i] = true;
  const auto numbers = expected.as<float>();
  for (std::size_t e = 0; e < numbers.size(); ++e) {
    const std::size_t row = e / 4, head = row / static_cast<std::size_t>(queries);
    numbers[e] = row % static_cast<std::size_t>(queries) == 0 ? 0 : y[head];
  }
  check_both({.has_mask = true, .has_sinks = true}, {q, k, v, shown, Tensor::of<float>({heads}, sinks)}, expected);
}

/// By the tiled kernel, the wide one and the one that splits keys.
TEST(Attention, ASinkThatIsNotFiniteTakesRowsThatSeeAKeyOrNone) {
  for (const auto& [queries, keys] : {std::pair{3, 5}, {33, 41}, {2, 300}})
    check_sinks(queries, keys, {nan, infinity, -infinity, 200, -200}, {nan, nan, 3, 0, 3});
}

TEST(Attention, ASinkCountsOnceHoweverManyBlocksOfKeysThereAre) {
  for (const auto& [queries, keys] : {std::pair{3, 256}, {33, 256}, {2, 1024}, {9, 1}})
    check_sinks(queries, keys, {std::log(static_cast<float>(keys))}, {1.5f});
}

/// Beside a sink, keys of score -inf weigh nothing, and are no row without weights.
TEST(Attention, KeysOfMinusInfinityBesideASinkGiveZero) {
  for (const std::int64_t keys : {2, 300}) {
    const std::vector<float> k(static_cast<std::size_t>(keys), -infinity), v(static_cast<std::size_t>(keys), 5);
    check_both({.has_sinks = true}, {row({1}), row(k), row(v), Tensor::of<float>({1}, {-3})}, row({0}));
    check_both({.has_sinks = true}, {row({1}), row(k), row(v), Tensor::of<float>({1}, {-infinity})}, row({nan}));
  }
}

TEST(Attention, CachesOfSixteenBitsBesideQueriesOfF32) {
  const tests::AttentionCase tiled{"", {2, 4, 2, 5, 41, 25, 17}, {.causal = true}},
      few{"", {2, 6, 2, 1, 515, 64, 40}, {.has_kv_lengths = true, .has_sinks = true}, {}, {}, {515, 131}};
  for (const auto& c : {tiled, few})
    for (const DType dtype : {DType::f16, DType::bf16}) {
      auto operands = tests::operands_of(c, DType::f32);
      for (const std::size_t i : {1, 2}) operands[i] = ir::convert(operands[i], dtype);
      check_op(c.op, operands);
    }
}

TEST(Attention, BothLayoutsGiveEqualRows) {
  if (testing::gpu().executor == nullptr) GTEST_SKIP() << testing::gpu().why_not;
  const tests::AttentionCase c{"", {2, 3, 3, 37, 41, 24, 24}, {.causal = true}};
  const auto operands = tests::operands_of(c, DType::f32);
  std::vector<Tensor> turned;
  for (const Tensor& x : operands) {
    const auto& n = x.shape();
    Tensor to({DType::f32, {n[0], n[2], n[1], n[3]}});
    for (std::int64_t e = 0; e < x.elements(); ++e) {
      const std::int64_t d = e % n[3], s = e / n[3] % n[2], h = e / n[3] / n[2] % n[1], b = e / n[3] / n[2] / n[1];
      to.as<float>()[static_cast<std::size_t>(((b * n[2] + s) * n[1] + h) * n[3] + d)] =
          x.as<float>()[static_cast<std::size_t>(e)];
    }
    turned.push_back(std::move(to));
  }
  Attention other = c.op;
  other.layout = AttentionLayout::bshd;
  const Tensor a = ir::run_op(*testing::gpu().executor, c.op, operands)[0];
  const Tensor b = ir::run_op(*testing::gpu().executor, other, turned)[0];
  for (std::size_t row = 0; row < 2 * 3 * 37; ++row) {
    const std::size_t i = row % 37, h = row / 37 % 3, batch = row / 37 / 3, there = (batch * 37 + i) * 3 + h;
    ASSERT_EQ(0, std::memcmp(&a.as<float>()[row * 24], &b.as<float>()[there * 24], 24 * sizeof(float))) << row;
  }
}

TEST(Attention, RefusesHeadsThatAreTooWide) {
  if (testing::gpu().executor == nullptr) GTEST_SKIP() << testing::gpu().why_not;
  const auto q = testing::random_tensor({DType::f32, {1, 1, 2, 577}}, 1);
  try {
    ir::run_op(*testing::gpu().executor, Attention{}, {q, q, q});
    FAIL() << "it ran";
  } catch (const ir::Unsupported& refusal) {
    EXPECT_NE(std::string(refusal.what()).find("heads are at most 576 wide here and values 512, D is 577, Dv is 577"),
              std::string::npos)
        << refusal.what();
  }
}

}  // namespace
}  // namespace plumb::attention_test
