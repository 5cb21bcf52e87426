// Each adversarial kind is what docs/fills.md says of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "ir/adversarial/adversarial.hpp"
#include "ir/formats/graph_file.hpp"
#include "ir/ops/gather.hpp"
#include "ir/ops/matmul.hpp"
#include "ir/ops/softmax.hpp"

namespace plumb::ir::adversarial::kinds_test {
namespace {

using Kind = AdversarialKind;
using Line = std::vector<double>;

constexpr std::int64_t lines = 12, length = 300;

/// y = a·b, whose sums have 300 terms: a is [12, 300], b is [300, 12].
Graph product(DType dtype = DType::f32) {
  Graph graph;
  const Value a = graph.input("a", {dtype, {lines, length}}), b = graph.input("b", {dtype, {length, lines}});
  graph.returns(graph.add("y", ops::Matmul{}, {a, b}));
  return graph;
}

/// The lines of one of its operands, in the order of the sum.
std::vector<Line> lines_of(Kind kind, std::string_view name = "a", DType dtype = DType::f32, std::uint64_t seed = 1) {
  const Graph graph = product(dtype);
  const Tensor made = fill(graph, *graph.find(name), kind, seed, stream_of(name));
  std::vector<Line> found(lines, Line(length));
  visit_float(dtype, [&]<class T>(T) {
    const auto x = made.as<T>();
    for (std::int64_t l = 0; l < lines; ++l)
      for (std::int64_t k = 0; k < length; ++k)
        found[static_cast<std::size_t>(l)][static_cast<std::size_t>(k)] =
            static_cast<double>(x[static_cast<std::size_t>(name == "a" ? l * length + k : k * lines + l)]);
  });
  return found;
}

double sum(const Line& line) { return std::accumulate(line.begin(), line.end(), 0.0); }

std::size_t changes_of_sign(const Line& line) {
  std::size_t changes = 0;
  for (std::size_t k = 1; k < line.size(); ++k) changes += line[k] * line[k - 1] < 0;
  return changes;
}

bool is_near_one(const Line& line) {
  return std::ranges::all_of(line, [](double x) { return 0.9 <= std::abs(x) && std::abs(x) <= 1.1; });
}

/// A sum of floats, one after the other.
double in_f32(const Line& line) {
  float total = 0;
  for (const double x : line) total += static_cast<float>(x);
  return static_cast<double>(total);
}

TEST(Fill, StagnatingIsWhatItSays) {
  for (const Line& line : lines_of(Kind::stagnating)) {
    EXPECT_EQ(in_f32(line), 1);
    EXPECT_GT(sum(line), 1 + 0.25 * (length - 1) * 0x1p-24);
  }
  const auto halves = lines_of(Kind::stagnating, "a", DType::f16);
  EXPECT_EQ(in_f32(halves[1]), 0x1p10);
  EXPECT_GT(sum(halves[1]), 0x1p10);
  EXPECT_THAT(halves[0][1], testing::AllOf(testing::Ge(0x1p-13), testing::Le(0x1p-11)));
  EXPECT_THAT(lines_of(Kind::stagnating, "b")[3], testing::Each(1));
}

TEST(Fill, CreepingIsWhatItSays) {
  const auto made = lines_of(Kind::creeping);
  EXPECT_LT(in_f32(made[0]), sum(made[0]) - 50 * 0x1p-24);
  EXPECT_THAT(made[1], testing::Each(testing::Truly([](double x) { return std::fmod(x, 4) == 1; })));
  EXPECT_LT(std::abs(in_f32(made[1]) - sum(made[1])), 64 * length);
  EXPECT_NE(in_f32(made[1]), sum(made[1]));
}

TEST(Fill, RisenFallenIsWhatItSays) {
  for (const Line& line : lines_of(Kind::risen_fallen)) {
    EXPECT_TRUE(is_near_one(line));
    EXPECT_EQ(changes_of_sign(line), 1u);
    EXPECT_GT(line[length / 2 - 1], 0);
    EXPECT_LT(line[length / 2], 0);
  }
}

TEST(Fill, WaveIsWhatItSays) {
  std::set<std::size_t> periods;
  for (const Line& line : lines_of(Kind::wave)) {
    EXPECT_TRUE(is_near_one(line));
    const auto half =
        static_cast<std::size_t>(std::ranges::find_if(line, [](double x) { return x < 0; }) - line.begin());
    for (std::size_t k = 0; k < line.size(); ++k) EXPECT_EQ(line[k] < 0, k / half % 2 == 1) << k;
    periods.insert(half);
  }
  EXPECT_GT(periods.size(), 6u);
  EXPECT_TRUE(is_near_one(lines_of(Kind::wave, "b")[0]));
  EXPECT_EQ(changes_of_sign(lines_of(Kind::wave, "b")[0]), 0u);
}

TEST(Fill, AlternatingIsWhatItSays) {
  const auto made = lines_of(Kind::alternating);
  EXPECT_EQ(changes_of_sign(made[0]), length - 1u);
  EXPECT_EQ(changes_of_sign(made[1]), (length - 1u) / 16);
  EXPECT_EQ(changes_of_sign(made[2]), (length - 1u) / 32);
  EXPECT_EQ(changes_of_sign(made[3]), (length - 1u) / 64);
}

TEST(Fill, SortedIsWhatItSays) {
  const auto made = lines_of(Kind::sorted);
  const auto size = [](double x) { return std::abs(x); };
  EXPECT_TRUE(std::ranges::is_sorted(made[0]));
  EXPECT_TRUE(std::ranges::is_sorted(made[1], {}, size));
  EXPECT_TRUE(std::ranges::is_sorted(made[2], std::greater{}));
  EXPECT_TRUE(std::ranges::is_sorted(made[3], std::greater{}, size));
  EXPECT_GT(changes_of_sign(made[1]), 100u);
}

TEST(Fill, FewValuedIsWhatItSays) {
  const auto made = lines_of(Kind::few_valued), others = lines_of(Kind::few_valued, "b");
  const auto count = [](const Line& line) { return std::set<double>(line.begin(), line.end()).size(); };
  EXPECT_EQ(count(made[0]), 2u);
  EXPECT_EQ(count(made[1]), 3u);
  EXPECT_EQ(count(made[2]), 16u);
  EXPECT_GT(count(made[3]), 100u);
  EXPECT_THAT(others[0], testing::Each(testing::AnyOf(-1, 1)));
  EXPECT_EQ(count(others[1]), 16u);
  EXPECT_THAT(others[2], testing::Each(testing::AnyOf(0, 1)));
}

TEST(Fill, ConstantIsWhatItSays) {
  const auto made = lines_of(Kind::constant);
  for (std::size_t l = 0; l < lines; ++l) {
    const std::map<double, int> counts = [&] {
      std::map<double, int> found;
      for (const double x : made[l]) ++found[x];
      return found;
    }();
    EXPECT_EQ(counts.size(), l % 2 == 0 ? 1u : 2u);
  }
}

TEST(Fill, CancellingIsWhatItSays) {
  for (const Line& line : lines_of(Kind::cancelling)) {
    std::size_t pairs = 0;
    for (std::size_t k = 0; k < length; k += 2) {
      if (std::abs(line[k] + line[k + 1]) > 0.51 * std::abs(line[k]) || line[k] * line[k + 1] > 0) continue;
      ++pairs;
    }
    EXPECT_GT(pairs, 40u);
    EXPECT_GT(std::ranges::count_if(line, [](double x) { return std::abs(x) < 0.01; }), 80);
  }
  EXPECT_THAT(lines_of(Kind::cancelling, "b")[0], testing::Each(1));
}

TEST(Fill, ScaledLinesIsWhatItSays) {
  std::set<int> scales;
  for (const Line& line : lines_of(Kind::scaled_lines)) {
    const double largest = std::ranges::max(line);
    EXPECT_LT(largest, 0x1p23);
    EXPECT_GT(largest, 0x1p-20);
    scales.insert(std::ilogb(largest));
  }
  EXPECT_GT(scales.size(), 6u);
}

TEST(Fill, OutliersIsWhatItSays) {
  std::size_t count = 0;
  for (const Line& line : lines_of(Kind::outliers))
    count += static_cast<std::size_t>(std::ranges::count_if(line, [](double x) { return std::abs(x) > 6; }));
  EXPECT_GT(count, 15u);
  EXPECT_LT(count, 80u);
}

/// The lines of what is taken a softmax of.
std::vector<Line> scores(Kind kind) {
  Graph graph;
  const Value x = graph.input("x", {DType::f32, {lines, length}});
  graph.returns(graph.add("y", ops::Softmax{}, {x}));
  const Tensor made = fill(graph, x, kind, 1, stream_of("x"));
  std::vector<Line> found;
  for (std::size_t l = 0; l < lines; ++l) {
    const auto line = made.as<float>().subspan(l * length, length);
    found.emplace_back(line.begin(), line.end());
  }
  return found;
}

TEST(Fill, TinySinkIsWhatItSays) {
  for (const Line& line : scores(Kind::tiny_sink)) {
    EXPECT_EQ(line[0], 0);
    for (std::size_t k = 1; k < length; ++k) EXPECT_LT(std::abs(std::exp2(25) * std::exp(line[k]) - 0.9), 0.1);
  }
  for (const Line& line : lines_of(Kind::tiny_sink)) {
    EXPECT_EQ(line[0], 1);
    EXPECT_EQ(in_f32(line), 1);
  }
}

TEST(Fill, SaturatedIsWhatItSays) {
  for (const Line& line : scores(Kind::saturated)) EXPECT_GT(std::ranges::max(line), 1e4);
}

TEST(Fill, MaskedIsWhatItSays) {
  constexpr double none = -std::numeric_limits<double>::infinity();
  const auto made = scores(Kind::masked);
  EXPECT_GT(std::ranges::count(made[0], -1e9), 100);
  EXPECT_GT(std::ranges::count_if(made[0], [](double x) { return std::abs(x) < 6; }), 100);
  EXPECT_THAT(made[1], testing::Each(-1e9));
  EXPECT_THAT(made[2], testing::Each(none));
  EXPECT_EQ(std::ranges::count(made[3], none), length - 1);
  EXPECT_THAT(lines_of(Kind::masked)[2], testing::Each(0)) << "a product has no scores";
}

TEST(Fill, FarLineIsWhatItSays) {
  const auto made = lines_of(Kind::far_line);
  EXPECT_NEAR(sum(made[0]) / length, 1e5, 1);
  EXPECT_GT(std::ranges::max(made[0]) - std::ranges::min(made[0]), 1);
  EXPECT_LT(std::ranges::max(made[1]), 10);
}

TEST(Fill, EqualLinesIsWhatItSays) {
  const auto made = lines_of(Kind::equal_lines);
  EXPECT_EQ(made[0], made[2]);
  EXPECT_NE(made[0][0], made[0][1]);
  EXPECT_THAT(made[1], testing::Each(made[1][0]));
}

TEST(Fill, TiesIsWhatItSays) {
  const auto made = lines_of(Kind::ties);
  for (std::size_t l = 0; l < lines; ++l)
    EXPECT_THAT(made[l], testing::Each(testing::Truly([&](double x) {
                  return std::abs(x) <= 4 && x - std::floor(x) == (l % 2 == 0 ? 0.5 : 0);
                })));
}

TEST(Fill, SubnormalIsWhatItSays) {
  for (const auto& [dtype, normal] :
       {std::pair{DType::f32, 0x1p-126}, {DType::f16, 0x1p-14}, {DType::bf16, 0x1p-126}}) {
    std::int64_t below = 0;
    for (const Line& line : lines_of(Kind::subnormal, "a", dtype)) {
      EXPECT_THAT(line, testing::Not(testing::Contains(0)));
      below += std::ranges::count_if(line, [least = normal](double x) { return std::abs(x) < least; });
    }
    EXPECT_GT(below, lines * length / 3);
    EXPECT_LT(below, lines * length);
  }
}

TEST(Fill, HugeIsWhatItSays) {
  const auto made = lines_of(Kind::huge);
  constexpr double largest = std::numeric_limits<float>::max();
  EXPECT_GT(std::ranges::max(made[0]), 0x1p110);
  EXPECT_GT(changes_of_sign(made[0]), 50u);
  EXPECT_NEAR(sum(made[1]) / largest, 1, 0.05);
  for (const Line& line : lines_of(Kind::huge, "a", DType::f16))
    EXPECT_THAT(line, testing::Each(testing::Truly([](double x) { return std::isfinite(x); })));
}

TEST(Fill, SpecialsIsWhatItSays) {
  std::int64_t special = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed)
    for (const Line& line : lines_of(Kind::specials, "a", DType::f32, seed)) {
      const auto is_special = [](double x) { return !std::isfinite(x) || (x == 0 && std::signbit(x)); };
      special += std::ranges::count_if(line, is_special);
    }
  EXPECT_GE(special, 4);
  EXPECT_LT(special, 60);
}

TEST(Fill, EdgesIsWhatItSays) {
  Graph graph;
  const Value x = graph.input("x", {DType::f32, {9, 2}}), i = graph.input("i", {DType::i32, {64}});
  const Value n = graph.input("n", {DType::i8, {64}});
  graph.returns(graph.add("y", ops::Gather{}, {x, i}));
  graph.returns(n);
  const Tensor made = fill(graph, i, Kind::edges, 1, 0), ends = fill(graph, n, Kind::edges, 1, 0);
  const auto indices = made.as<std::int32_t>();
  EXPECT_THAT(indices, testing::Each(testing::AnyOf(0, -1, 8, -9)));
  for (const std::int32_t index : {0, -1, 8, -9}) EXPECT_GT(std::ranges::count(indices, index), 1) << index;
  EXPECT_THAT(ends.as<std::int8_t>(), testing::IsSupersetOf({-128, 127, 0}));
}

bool same_bytes(const Tensor& a, const Tensor& b) {
  return std::ranges::equal(std::as_bytes(a.as<float>()), std::as_bytes(b.as<float>()));
}

TEST(Fill, TheSeedChoosesAmongAllKinds) {
  std::set<Kind> kinds;
  for (std::uint64_t seed = 1; seed <= kind_count; ++seed) kinds.insert(kind_of_seed(seed));
  EXPECT_EQ(kinds.size(), kind_count);
  const Graph graph = product();
  const Value a = *graph.find("a");
  for (std::uint64_t seed = 0; seed < kind_count; ++seed)
    EXPECT_TRUE(same_bytes(fill(graph, a, {}, seed, 7), fill(graph, a, kind_of_seed(seed), seed, 7))) << seed;
}

TEST(Fill, AKindThatIsMisspeltIsSaidWithThoseThereAre) {
  try {
    kind_named("stagnatin");
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("did you mean 'stagnating'? There are stagnating, creeping,"));
  }
}

}  // namespace
}  // namespace plumb::ir::adversarial::kinds_test
