// Limits of running sums, element after element, are those that each element has by itself, at the cost of one line.
#include "parity/sums/running_limit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>

namespace plumb::parity::sums::running_limit_test {
namespace {

using Line = std::vector<double>;
constexpr double lambda = 5.5;

ir::SumLevel compensated(std::int64_t count, ir::SumJoin join = ir::SumJoin::chain) {
  return {.count = count, .join = join, .compensated = true};
}

Arithmetic arithmetic_of(std::vector<ir::SumLevel> levels, double flushed) {
  return {.sum = ir::Sum{.of = ir::SumName::prefix, .levels = std::move(levels)}, .flushed = flushed};
}

/// As kernels publish them: blocks of a line side by side, tile after tile, and one chain.
std::vector<Arithmetic> arithmetics() {
  std::vector<Arithmetic> all;
  for (const double flushed : {0.0, 0x1p-126}) {
    all.push_back(arithmetic_of({compensated(4), compensated(8, ir::SumJoin::pair), compensated(0)}, flushed));
    all.push_back(arithmetic_of({compensated(3), compensated(5), compensated(0)}, flushed));
    all.push_back(arithmetic_of({compensated(0)}, flushed));
  }
  return all;
}

Line drawn(std::size_t count, const std::function<double(double, std::size_t)>& make) {
  std::mt19937 chance(7);
  std::normal_distribution<float> normal;
  Line line;
  for (std::size_t k = 0; k < count; ++k) line.push_back(static_cast<float>(make(normal(chance), k)));
  return line;
}

std::vector<Line> lines() {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  return {drawn(150, [](double x, std::size_t) { return x; }),
          drawn(150, [](double x, std::size_t k) { return k == 0  ? 1
                                                          : x > 0 ? 0x1.8p-25
                                                                  : 0x1p-25; }),
          drawn(150, [](double x, std::size_t) { return x * 0x1p-127; }),
          drawn(150, [](double x, std::size_t k) { return k % 3 == 0 ? 0 : x * 0x1p-140; }),
          drawn(150, [](double x, std::size_t) { return std::nearbyint(2 * x); }),
          drawn(150, [](double x, std::size_t k) { return k < 75 ? std::abs(x) : -std::abs(x); }),
          drawn(100, [&](double x, std::size_t k) { return k == 60 ? inf : x; }),
          drawn(100, [&](double x, std::size_t k) { return k == 33 ? nan : x; }),
          drawn(100, [](double x, std::size_t) { return x > 0 ? 0x1p127 : -0x1p127; }),
          {-0.0, 0.0, 1.0},
          {}};
}

/// Equal, or both no number.
void expect_same(double one, double other, const std::string& where) {
  EXPECT_TRUE(one == other || (std::isnan(one) && std::isnan(other))) << where << ": " << one << ", not " << other;
}

TEST(RunningLimit, IsThatOfEachElementByItself) {
  const std::vector<Arithmetic> all = arithmetics();
  const std::vector<Line> of = lines();
  for (std::size_t a = 0; a < all.size(); ++a)
    for (std::size_t l = 0; l < of.size(); ++l) {
      ASSERT_TRUE(RunningLimit::is_known(all[a]));
      RunningLimit running(all[a], lambda, of[l]);
      element::terms::ElementSum alone;
      for (std::size_t count = 0; count <= of[l].size(); ++count) {
        running.go_to(static_cast<std::int64_t>(count));
        const ElementLimit limit = limit_of(alone, all[a], lambda);
        const std::string where = ir::cat("arithmetic ", a, ", line ", l, ", ", count, " terms");
        expect_same(running.limit().probable, limit.probable, where);
        expect_same(running.limit().certain, limit.certain, where);
        expect_same(running.limit().fixed, limit.fixed, where);
        expect_same(running.wide_limit(), wide_limit(alone, all[a], lambda), where);
        if (count < of[l].size()) alone.add(of[l][count]);
      }
    }
}

TEST(RunningLimit, MaySkipElements) {
  const Arithmetic arithmetic = arithmetics().front();
  const Line line = lines().front();
  RunningLimit running(arithmetic, lambda, line);
  for (const std::int64_t count : {3, 3, 64, 131}) {
    element::terms::ElementSum alone;
    for (std::int64_t k = 0; k < count; ++k) alone.add(line[static_cast<std::size_t>(k)]);
    running.go_to(count);
    EXPECT_EQ(running.limit().probable, limit_of(alone, arithmetic, lambda).probable) << count;
  }
}

TEST(RunningLimit, WalksALineOnceAndNoMoreThanAChunkForEachElement) {
  constexpr std::int64_t n = 20'000, chunk = 32;
  const Arithmetic arithmetic =
      arithmetic_of({compensated(4), compensated(8, ir::SumJoin::pair), compensated(0)}, 0x1p-126);
  RunningLimit running(arithmetic, lambda, drawn(n, [](double x, std::size_t) { return x * 0x1p-127; }));
  for (std::int64_t count = 1; count <= n; ++count) running.go_to(count);
  EXPECT_LE(running.walked(), static_cast<std::uint64_t>(n * (2 + chunk)));
  EXPECT_GT(running.limit().probable, 0);
}

TEST(RunningLimit, IsNotKnownOfOtherTreesThanTheBeginningOfALonger) {
  EXPECT_FALSE(RunningLimit::is_known({}));
  EXPECT_FALSE(RunningLimit::is_known(arithmetic_of({{}}, 0)));
  EXPECT_FALSE(RunningLimit::is_known(arithmetic_of({compensated(4), compensated(0, ir::SumJoin::pair)}, 0)));
  EXPECT_FALSE(RunningLimit::is_known(arithmetic_of({compensated(0), compensated(4)}, 0)));
  Arithmetic truncating = arithmetics().front(), pieces = arithmetics().front();
  truncating.cut = 1;
  pieces.sum->order = "pieces";
  EXPECT_FALSE(RunningLimit::is_known(truncating));
  EXPECT_FALSE(RunningLimit::is_known(pieces));
}

}  // namespace
}  // namespace plumb::parity::sums::running_limit_test
