// The search finds what is planted, and finds it again.
#include "parity/studies/search/search.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/adversarial/adversarial.hpp"
#include "ir/ops/matmul.hpp"
#include "tests/parity/small_case.hpp"

namespace plumb::testing::search_test {
namespace {

using parity::studies::search::Objective;
using parity::studies::search::Options;
using parity::studies::search::Outcome;
using parity::studies::search::Record;

constexpr auto product = R"({"format": "plumb.graph/1", "why": "a product to search in",
  "inputs": {"a": {"type": "f32[4, 128]"}, "b": {"type": "f32[128, 4]"}},
  "nodes": [{"label": "y", "op": "matmul", "inputs": ["a", "b"]}], "results": ["y"]})";

/// The product with its inputs filled; those of `only` alone where it is given.
parity::studies::search::Start fills(std::optional<ir::AdversarialKind> only = {}) {
  return [only](ir::AdversarialKind kind) {
    parity::cases::Case made = make_case(product);
    const ir::Graph& graph = made.file->graph;
    for (ir::Value v = 0; graph.is_source(v); ++v)
      made.feeds.insert_or_assign(
          graph.name(v), ir::adversarial::fill(graph, v, only.value_or(kind), 1, ir::stream_of(graph.name(v))));
    return made;
  };
}

Outcome search_on(Suspect& suspect, const parity::studies::search::Start& start, const Options& options) {
  ref_cpu::CpuExecutor reference;
  return parity::studies::search::search(start, {.reference = reference, .candidate = &suspect}, options);
}

/// Adds up the terms of a product so that an error shows where the signs of a change every 16 terms.
void lose_waves(Suspect& suspect) {
  std::shared_ptr<ir::Tensor> a = std::make_shared<ir::Tensor>();
  suspect.misread = [a](const ir::Node&, std::size_t operand, ir::Tensor& x) {
    if (operand == 0) *a = x;
  };
  suspect.tamper = [a](const ir::Node&, ir::Tensor& y) {
    const auto x = a->as<float>();
    for (std::size_t row = 0; row < 4; ++row) {
      double wave = 0;
      for (std::size_t k = 0; k < 128; ++k)
        wave += (k / 16 % 2 == 0 ? 1.0 : -1.0) * static_cast<double>(x[row * 128 + k]) / 128;
      for (float& one : y.as<float>().subspan(row * 4, 4)) one *= static_cast<float>(1 + 0x1p-21 * wave * wave);
    }
  };
}

TEST(Search, FindsAPlantedWave) {
  Suspect suspect;
  lose_waves(suspect);
  // No fill of this start has a wave: the signs are all the same.
  const Outcome found = search_on(suspect, fills(ir::AdversarialKind::constant), {.seed = 1, .steps = 60});
  EXPECT_GT(found.best, 2 * found.first);
}

TEST(Search, FindsStagnation) {
  Suspect honest;
  const Outcome found = search_on(honest, fills(), {.seed = 1, .steps = 0});
  EXPECT_GT(found.best, 0.5);
  ASSERT_FALSE(found.records.empty());
  EXPECT_THAT(found.records[0].from, ::testing::AnyOf("stagnating", "creeping"));
  EXPECT_EQ(found.records[0].op, "matmul");
}

TEST(Search, TheSameSeedFindsTheSame) {
  Suspect one, other;
  const Options options{.seed = 3, .steps = 4};
  const Outcome first = search_on(one, fills(), options), second = search_on(other, fills(), options);
  EXPECT_EQ(first.steps, 4u);
  EXPECT_EQ(first.best, second.best);
  ASSERT_EQ(first.records.size(), second.records.size());
  for (std::size_t r = 0; r < first.records.size(); ++r)
    EXPECT_EQ(to_file(first.records[r], options.objective), to_file(second.records[r], options.objective));
}

TEST(Search, AFileOfARecordIsThatCaseAgain) {
  Suspect wrong = spoiler("y", [](ir::Tensor& y) { y.as<float>()[0] += 1; });
  const Outcome found = search_on(wrong, fills(), {.seed = 1, .steps = 0});
  ASSERT_FALSE(found.records.empty());
  const Record& record = found.records.back();
  EXPECT_TRUE(record.is_failure);
  const auto text = to_file(record, Objective::ratio);
  EXPECT_THAT(text, ::testing::HasSubstr("\"must\": \"fail\""));
  EXPECT_THAT(file_name(record, Objective::ratio), ::testing::MatchesRegex("matmul-ratio-[0-9a-f]{8}\\.json"));
  const auto again = make_case(text);
  for (const auto& [name, tensor] : record.subject.feeds)
    EXPECT_TRUE(std::ranges::equal(again.feeds.find(name)->second.bytes(), tensor.bytes())) << name;
  EXPECT_EQ(verify_on(wrong, again).verdict, parity::core::Verdict::failed);
}

TEST(Search, WhatIsLooseIsFoundByMissed) {
  Suspect honest;
  const Options options{.objective = Objective::missed, .seed = 1, .steps = 2};
  EXPECT_GT(search_on(honest, fills(), options).best, 1e-6);
}

}  // namespace
}  // namespace plumb::testing::search_test
