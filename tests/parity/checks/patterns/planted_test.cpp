// One planted fault after the other, two for each kind of pattern: nearly all must be named, and noise must not be.

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <random>
#include <set>

#include "parity/checks/patterns/failing.hpp"
#include "tests/parity/small_case.hpp"

namespace plumb::planted_patterns_test {
namespace {

using parity::cases::Pattern;
using parity::cases::PatternKind;
using Kind = PatternKind;

constexpr std::int64_t batches = 3, rows = 48, columns = 40, depth = 64, each = rows * columns;

constexpr auto product = R"({"format": "plumb.graph/1", "why": "three products",
  "inputs": {"x": {"type": "f32[3, 48, 64]"}}, "params": {"w": {"type": "f32[3, 64, 40]"}},
  "nodes": [{"label": "y", "op": "matmul", "inputs": ["x", "w"]}], "results": ["y"]})";

const parity::cases::Case& now() {
  static const auto subject = testing::make_case(product, 1);
  return subject;
}
const parity::cases::Case& earlier() {
  static const auto subject = testing::make_case(product, 2);
  return subject;
}

/// An element, and what came of it without a fault.
struct Element {
  std::int64_t batch, row, column, index;
  std::span<const float> of_all;  ///< all that came

  float y() const { return of_all[static_cast<std::size_t>(index)]; }
  float term(std::int64_t k, const parity::cases::Case& inputs = now()) const {
    const auto x = inputs.feeds.at("x").as<float>(), w = now().feeds.at("w").as<float>();
    return x[static_cast<std::size_t>((batch * rows + row) * depth + k)] *
           w[static_cast<std::size_t>((batch * depth + k) * columns + column)];
  }
  float before() const {
    double sum = 0;
    for (std::int64_t k = 0; k < depth; ++k) sum += term(k, earlier());
    return static_cast<float>(sum);
  }
  float without(std::int64_t k0, std::int64_t k1, std::int64_t step = 1) const {
    float left = y();
    for (std::int64_t k = k0; k < k1; k += step) left -= term(k);
    return left;
  }
};

using Fault = std::function<float(const Element&)>;
using Where = std::function<bool(const Element&)>;

struct Planted {
  Kind kind;
  const char* text;
  Fault fault;
};

/// Elements at these places are off by something of their own.
Fault off_at(Where where) {
  return [where = std::move(where), random = std::mt19937(3)](const Element& e) mutable {
    return where(e) ? e.y() + 1 + std::abs(std::normal_distribution<float>()(random)) : e.y();
  };
}

Fault shifted(std::int64_t by) {
  return [by](const Element& e) {
    const std::int64_t from = std::clamp<std::int64_t>(e.index - by, 0, batches * each - 1);
    return e.of_all[static_cast<std::size_t>(from)];
  };
}

Fault transposed(std::int64_t first_batch) {
  return [first_batch](const Element& e) {
    const std::int64_t inside = e.index % each;
    if (e.batch < first_batch) return e.y();
    return e.of_all[static_cast<std::size_t>(e.batch * each + inside % rows * columns + inside / rows)];
  };
}

Fault stale(std::int64_t k0, std::int64_t width) {
  return [=](const Element& e) {
    float y = e.without(k0, k0 + width);
    for (std::int64_t k = k0 - width; k < k0; ++k) y += e.term(k);
    return y;
  };
}

std::vector<Planted> faults_of_terms() {
  const auto twice = [](std::int64_t k0, std::int64_t k1) {
    return [=](const Element& e) { return 2 * e.y() - e.without(k0, k1); };
  };
  return {
      {Kind::missing, "terms 48 to 63 are missing, the last 16 of 64", [](auto& e) { return e.without(48, 64); }},
      {Kind::missing, "terms 10 to 25 are missing of 64", [](auto& e) { return e.without(10, 26); }},
      {Kind::twice, "terms 0 to 15 are added twice, the first 16 of 64", twice(0, 16)},
      {Kind::twice, "terms 20 to 23 are added twice of 64", twice(20, 24)},
      {Kind::stale, "in place of terms 32 to 47 those 16 before are added of 64", stale(32, 16)},
      {Kind::stale, "in place of terms 16 to 23 those 8 before are added of 64", stale(16, 8)},
      {Kind::lane, "every 32th term from 5 on is missing", [](auto& e) { return e.without(5, 64, 32); }},
      {Kind::lane, "every 8th term from 3 on is missing", [](auto& e) { return e.without(3, 64, 8); }},
  };
}

std::vector<Planted> faults_of_places() {
  return {
      {Kind::batch, "matrix 1 of 3", off_at([](auto& e) { return e.batch == 1; })},
      {Kind::batch, "matrix 2 of 3", off_at([](auto& e) { return e.batch == 2 && e.index % 3 == 0; })},
      {Kind::row_mod, "rows 12 to 15 of every 16", off_at([](auto& e) { return e.row % 16 >= 12; })},
      {Kind::row_mod, "row 1 of every 6", off_at([](auto& e) { return e.row % 6 == 1; })},
      {Kind::column_mod, "column 3 of every 8", off_at([](auto& e) { return e.column % 8 == 3; })},
      {Kind::column_mod, "columns 7 to 9 of every 10", off_at([](auto& e) { return e.column % 10 >= 7; })},
      {Kind::last_rows, "rows 32 to 47, the last", off_at([](auto& e) { return e.row >= 32; })},
      {Kind::last_rows, "rows 45 to 47, the last", off_at([](auto& e) { return e.row >= 45; })},
      {Kind::last_columns, "column 39, the last", off_at([](auto& e) { return e.column == 39; })},
      {Kind::last_columns, "columns 24 to 39, the last", off_at([](auto& e) { return e.column >= 24; })},
      {Kind::tile, "the tile of rows 16 to 31 and columns 8 to 15",
       off_at([](auto& e) { return e.row / 16 == 1 && e.column / 8 == 1; })},
      {Kind::tile, "columns 16 to 31", off_at([](auto& e) { return e.column / 16 == 1; })},
      {Kind::checkerboard, "every other tile of 8x8 of a checkerboard, from the first on",
       off_at([](auto& e) { return (e.row / 8 + e.column / 8) % 2 == 0; })},
      {Kind::checkerboard, "every other element of a checkerboard, from the second on",
       off_at([](auto& e) { return (e.row + e.column) % 2 == 1; })},
      {Kind::corner, "the corner of rows 44 to 47 and columns 36 to 39",
       off_at([](auto& e) { return e.row >= 44 && e.column >= 36; })},
      {Kind::corner, "the corner of rows 0 to 7 and columns 0 to 15",
       off_at([](auto& e) { return e.row < 8 && e.column < 16; })},
      {Kind::stride, "one element in 7 from 3 on, whatever its row", off_at([](auto& e) { return e.index % 7 == 3; })},
      {Kind::stride, "one element in 36 from 5 on, whatever its row",
       off_at([](auto& e) { return e.index % 36 == 5; })},
  };
}

std::vector<Planted> faults_of_values() {
  return {
      {Kind::stuck, "they are 0.5", [](auto&) { return 0.5f; }},
      {Kind::stuck, "they are nan", [](auto& e) { return e.index % 11 == 4 ? NAN : e.y(); }},
      {Kind::sign, "they have the other sign", [](auto& e) { return -e.y(); }},
      {Kind::sign, "they have the other sign", [](auto& e) { return e.row == 7 ? -e.y() : e.y(); }},
      {Kind::scaled, "they are 1.5 times the truth", [](auto& e) { return 1.5f * e.y(); }},
      {Kind::scaled, "they are 0.25 times the truth", [](auto& e) { return e.column == 7 ? e.y() / 4 : e.y(); }},
      {Kind::offset, "they are the truth plus 0.25", [](auto& e) { return e.y() + 0.25f; }},
      {Kind::offset, "they are the truth plus -3", [](auto& e) { return e.batch == 0 ? e.y() - 3 : e.y(); }},
      {Kind::shifted, "they are the truth of the element 1 before", shifted(1)},
      {Kind::shifted, "they are the truth of the element 40 behind", shifted(-columns)},
      {Kind::transposed, "they are the truth transposed", transposed(0)},
      {Kind::transposed, "they are the truth transposed", transposed(1)},
      {Kind::before, "they are what the run before gave", [](auto& e) { return e.before(); }},
      {Kind::before, "they are what the run before gave",
       [](auto& e) { return e.row / 16 == 1 && e.column / 16 == 1 ? e.before() : e.y(); }},
  };
}

std::vector<Pattern> patterns_of(const Fault& fault) {
  auto suspect = testing::spoiler("y", [&](ir::Tensor& y) {
    const auto given = y.as<float>();
    const std::vector<float> was(given.begin(), given.end());
    for (std::int64_t i = 0; i < batches * each; ++i)
      given[static_cast<std::size_t>(i)] = fault({i / each, i / columns % rows, i % columns, i, was});
  });
  const auto before = std::make_shared<const ir::Feeds>(ir::Feeds{{"x", earlier().feeds.at("x")}});
  const auto result = testing::verify_on(suspect, now(), {.before = before});
  EXPECT_EQ(result.verdict, parity::core::Verdict::failed);
  return result.nodes.at(0).patterns;
}

TEST(PlantedPatterns, AreNamedByKindAndPlace) {
  std::size_t planted = 0, named = 0;
  std::set<Kind> kinds;
  for (const auto& faults : {faults_of_terms(), faults_of_places(), faults_of_values()})
    for (const Planted& one : faults) {
      ++planted;
      kinds.insert(one.kind);
      const std::vector<Pattern> found = patterns_of(one.fault);
      const bool is_named = std::ranges::any_of(
          found, [&](const Pattern& pattern) { return pattern.kind == one.kind && pattern.text == one.text; });
      named += is_named;
      if (is_named) continue;
      std::cerr << "not named: " << one.text << "; named:";
      for (const Pattern& pattern : found) std::cerr << ' ' << pattern.text << ';';
      std::cerr << '\n';
    }
  EXPECT_EQ(planted, 40u);
  EXPECT_EQ(kinds.size(), enum_names(Kind{}).size());
  EXPECT_GE(named, 38u);
}

/// Elements that fail at random are in no class more often than once in a hundred.
TEST(PlantedPatterns, NoPlaceIsNamedOfNoise) {
  std::mt19937 random(11);
  const ir::Shape shapes[] = {{64, 64}, {3, 48, 40}, {1000}, {7, 311}, {2, 5, 33, 17}};
  constexpr int trials = 200;
  int named = 0;
  for (const ir::Shape& shape : shapes) {
    const auto count = static_cast<std::size_t>(shape.elements());
    const std::vector<double> numbers(count);
    for (int trial = 0; trial < trials; ++trial) {
      const std::uint32_t one_of = 2u << trial % 8;
      parity::checks::patterns::Failing failing{
          .truth = numbers, .came = numbers, .shape = shape, .elements = {}, .limits = {}};
      for (std::size_t i = 0; i < count; ++i)
        if (random() % one_of == 0) failing.elements.push_back(i);
      failing.limits.resize(failing.elements.size());
      named += static_cast<int>(places_of(failing).size());
    }
  }
  EXPECT_LE(named, 10) << "of 1000";
}

/// More failing elements than are looked at: those that are taken follow no period of their own.
TEST(PlantedPatterns, ManyFailingElementsHaveTheirOwnPlaceAlone) {
  constexpr std::size_t side = 1024;
  const std::vector<double> numbers(side * side);
  parity::checks::patterns::Failing failing{
      .truth = numbers, .came = numbers, .shape = {side, side}, .elements = {}, .limits = {}};
  for (std::size_t i = side * side / 2; i < side * side; ++i) failing.elements.push_back(i);
  failing.limits.resize(failing.elements.size());
  const auto found = places_of(failing);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].text, "rows 512 to 1023, the last");
}

}  // namespace
}  // namespace plumb::planted_patterns_test
