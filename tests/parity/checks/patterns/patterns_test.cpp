// Faults planted in the results of an honest executor: what fails must be told by its terms, its places, its values.

#include <gmock/gmock.h>

#include <random>

#include "parity/checks/patterns/explain.hpp"
#include "parity/checks/patterns/failing.hpp"
#include "tests/parity/small_case.hpp"

namespace plumb::patterns_test {
namespace {

using parity::cases::Pattern;
using parity::cases::PatternKind;
using ::testing::HasSubstr;

constexpr std::int64_t rows = 48, columns = 40, depth = 256;

const parity::cases::Case& product() {
  static const auto subject = testing::make_case(R"({"format": "plumb.graph/1",
    "inputs": {"x": {"type": "f32[48, 256]"}}, "params": {"w": {"type": "f32[256, 40]"}},
    "nodes": [{"label": "y", "op": "matmul", "inputs": ["x", "w"]}], "results": ["y"]})");
  return subject;
}

float term(std::int64_t row, std::int64_t column, std::int64_t k) {
  const auto x = product().feeds.at("x").as<float>(), w = product().feeds.at("w").as<float>();
  return x[static_cast<std::size_t>(row * depth + k)] * w[static_cast<std::size_t>(k * columns + column)];
}

using Change = std::function<void(std::int64_t row, std::int64_t column, float& y)>;

/// The patterns of the product when each of its elements is changed so.
std::vector<Pattern> patterns_of(const Change& change) {
  auto suspect = testing::spoiler("y", [&](ir::Tensor& y) {
    for (std::int64_t row = 0; row < rows; ++row)
      for (std::int64_t column = 0; column < columns; ++column)
        change(row, column, y.as<float>()[static_cast<std::size_t>(row * columns + column)]);
  });
  const auto result = testing::verify_on(suspect, product());
  EXPECT_EQ(result.verdict, parity::core::Verdict::failed);
  return result.nodes.at(0).patterns;
}

const Pattern* find(const std::vector<Pattern>& patterns, PatternKind kind) {
  const auto found = std::ranges::find(patterns, kind, &Pattern::kind);
  return found == patterns.end() ? nullptr : &*found;
}

TEST(Pattern, NamesTermsThatAreMissing) {
  for (const auto& [k0, k1] : {std::pair<std::int64_t, std::int64_t>{240, 256}, {0, 8}, {17, 18}, {100, 131}}) {
    const auto found = patterns_of([k0 = k0, k1 = k1](auto row, auto column, float& y) {
      for (std::int64_t k = k0; k < k1; ++k) y -= term(row, column, k);
    });
    const Pattern* const one = find(found, PatternKind::missing);
    ASSERT_NE(one, nullptr) << k0;
    EXPECT_EQ(one->k0, k0);
    EXPECT_EQ(one->k1, k1);
  }
}

TEST(Pattern, SaysWhichTermsInWords) {
  const auto found = patterns_of([](auto row, auto column, float& y) {
    for (std::int64_t k = 240; k < 256; ++k) y -= term(row, column, k);
  });
  EXPECT_EQ(parity::cases::to_text({found.at(0)}, "tiled", "64x64x16"),
            "terms 240 to 255 are missing, the last 16 of 256 (tiled 64x64x16)");
}

TEST(Pattern, NamesTermsThatAreAddedTwice) {
  const auto found = patterns_of([](auto row, auto column, float& y) {
    for (std::int64_t k = 64; k < 96; ++k) y += term(row, column, k);
  });
  const Pattern* const one = find(found, PatternKind::twice);
  ASSERT_NE(one, nullptr);
  EXPECT_EQ(one->k0, 64);
  EXPECT_EQ(one->k1, 96);
}

TEST(Pattern, NamesAStaleBlock) {
  const auto found = patterns_of([](auto row, auto column, float& y) {
    for (std::int64_t k = 128; k < 160; ++k) y += term(row, column, k - 32) - term(row, column, k);
  });
  const Pattern* const one = find(found, PatternKind::stale);
  ASSERT_NE(one, nullptr);
  EXPECT_EQ(one->k0, 128);
  EXPECT_EQ(one->period, 32);
}

TEST(Pattern, NamesALane) {
  const auto found = patterns_of([](auto row, auto column, float& y) {
    for (std::int64_t k = 5; k < depth; k += 32) y -= term(row, column, k);
  });
  const Pattern* const one = find(found, PatternKind::lane);
  ASSERT_NE(one, nullptr);
  EXPECT_EQ(one->period, 32);
  EXPECT_EQ(one->phase, 5);
}

TEST(Pattern, NamesTermsOfATileAndItsPlace) {
  const auto found = patterns_of([](auto row, auto column, float& y) {
    if (row % 16 < 12) return;
    for (std::int64_t k = 224; k < 256; ++k) y -= term(row, column, k);
  });
  ASSERT_EQ(found.at(0).kind, PatternKind::missing);
  const Pattern* const place = find(found, PatternKind::row_mod);
  ASSERT_NE(place, nullptr);
  EXPECT_EQ(place->text, "rows 12 to 15 of every 16");
}

TEST(Pattern, NamesPlaces) {
  std::mt19937 random(3);
  std::normal_distribution<float> normal(0, 1);
  const auto off = [&](const std::function<bool(std::int64_t, std::int64_t)>& at) {
    return patterns_of([&](auto row, auto column, float& y) {
      if (at(row, column)) y += 1 + std::abs(normal(random));
    });
  };
  EXPECT_EQ(off([](auto row, auto) { return row >= 32; }).at(0).text, "rows 32 to 47, the last");
  EXPECT_EQ(off([](auto, auto column) { return column == 39; }).at(0).text, "column 39, the last");
  EXPECT_EQ(off([](auto, auto column) { return column % 8 == 3; }).at(0).text, "column 3 of every 8");
  EXPECT_EQ(off([](auto row, auto) { return row % 16 >= 8; }).at(0).text, "rows 8 to 15 of every 16");
}

TEST(Pattern, NamesValues) {
  const auto said = [](const Change& change) { return patterns_of(change).back(); };
  EXPECT_EQ(said([](auto, auto, float& y) { y = 0; }).text, "they are 0");
  EXPECT_EQ(said([](auto, auto, float& y) { y = NAN; }).text, "they are nan");
  EXPECT_EQ(said([](auto, auto, float& y) { y = -y; }).kind, PatternKind::sign);
  EXPECT_EQ(said([](auto, auto, float& y) { y *= 1.5f; }).text, "they are 1.5 times the truth");
  EXPECT_EQ(said([](auto, auto, float& y) { y += 0.25f; }).text, "they are the truth plus 0.25");
}

TEST(Pattern, NamesElementsThatAreElsewhere) {
  const auto moved = [](const std::function<void(std::span<float>)>& move) {
    auto suspect = testing::spoiler("y", [&](ir::Tensor& y) { move(y.as<float>()); });
    return testing::verify_on(suspect, product()).nodes.at(0).patterns.back();
  };
  EXPECT_EQ(moved([](std::span<float> y) { std::rotate(y.begin(), y.end() - 1, y.end()); }).text,
            "they are the truth of the element 1 before");
  EXPECT_EQ(moved([](std::span<float> y) { std::rotate(y.begin(), y.end() - columns, y.end()); }).period, columns);
  const auto transposed = moved([](std::span<float> y) {
    const std::vector<float> was(y.begin(), y.end());
    for (std::size_t i = 0; i < was.size(); ++i) y[i] = was[i % rows * columns + i / rows];
  });
  EXPECT_EQ(transposed.kind, PatternKind::transposed);
}

/// Elements at random places that are off at random have nothing in common.
TEST(Pattern, IsSilentOnNoise) {
  std::mt19937 random(5);
  std::normal_distribution<float> normal(0, 1);
  std::size_t named = 0;
  for (int trial = 0; trial < 12; ++trial)
    named += patterns_of([&](auto, auto, float& y) {
               if (random() % 32 == 0) y += normal(random);
             }).size();
  EXPECT_LE(named, 1u);
}

}  // namespace
}  // namespace plumb::patterns_test
