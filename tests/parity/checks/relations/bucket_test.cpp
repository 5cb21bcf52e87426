// The relation `bucket`: what holds of padding that is masked, and who is blamed where it does not.
#include "parity/checks/relations/bucket.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/parity/small_case.hpp"
#include "tests/support/cases/movement.hpp"
#include "tests/support/noise.hpp"
#include "tests/support/prompts.hpp"

namespace plumb::parity::checks::relations::bucket_test {
namespace {

using ::testing::HasSubstr;
using testing::Suspect;

/// Rows that attend to each other, of which so many are in use as `lengths` says or, without, all that there are.
std::string attention(std::int64_t rows, bool has_lengths) {
  return fmt::format(R"({{"format": "plumb.graph/1",
    "inputs": {{"x": {{"type": "f32[1, 2, {0}, 4]"}}{1}}},
    "params": {{"w": {{"type": "f32[4, 4]"}}}},
    "nodes": [{{"label": "k", "op": "matmul", "inputs": ["x", "w"]}},
              {{"label": "y", "op": "attention", "inputs": ["x", "k", "x"{2}], "has_kv_lengths": {3}}},
              {{"label": "best", "op": "arg_reduce", "function": "max", "axis": -1, "inputs": ["y"]}}],
    "results": ["y", "best"]}})",
                     rows, has_lengths ? R"(, "lengths": {"type": "i64[1]", "values": [5]})" : "",
                     has_lengths ? R"(, "lengths")" : "", has_lengths);
}

/// Five rows in a bucket of eight.
std::vector<cases::RelationResult> held(ir::Executor& candidate, bool has_lengths, const std::string& filter = "") {
  const cases::Case subject = testing::make_case(attention(5, has_lengths));
  const Bucket bucket = pad(subject, testing::make_case(attention(8, has_lengths)), "rows=5", "rows=8");
  ref_cpu::CpuExecutor reference;
  return check_bucket(subject, bucket, {.reference = reference, .candidate = &candidate}, filter, 8);
}

TEST(Bucket, WhatIsMaskedChangesNothing) {
  Suspect honest;
  const auto found = held(honest, true);
  ASSERT_EQ(found.size(), 2u);
  for (const cases::RelationResult& one : found) {
    EXPECT_EQ(one.verdict, core::Verdict::passed) << one.label << ": " << one.why;
    EXPECT_EQ(one.relation, cases::Relation::bucket);
    EXPECT_EQ(one.how, "rows=8 for rows=5");
  }
  EXPECT_EQ(found[0].n, 40u);
  EXPECT_FALSE(found[0].bitwise);
  EXPECT_EQ(found[1].n, 10u);
  EXPECT_TRUE(found[1].bitwise);
}

TEST(Bucket, PaddingThatIsSeenIsTheModelsFault) {
  Suspect honest;
  const auto found = held(honest, false);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].verdict, core::Verdict::failed);
  EXPECT_THAT(found[0].why, HasSubstr("padding reaches it: 40 of 40 elements differ; the worst is element [0, "));
  EXPECT_THAT(found[0].why, HasSubstr(" at rows=5 and "));
  EXPECT_GT(found[0].ratio, 100);
}

/// Adds to the first element of y in graphs of so many rows.
Suspect off_at(std::int64_t rows) {
  return testing::spoiler("y", [rows](ir::Tensor& y) {
    if (y.shape()[2] == rows) y.as<float>()[0] += 1e-4F;
  });
}

TEST(Bucket, ACandidateThatIsWrongAtOneExtentIsBlamed) {
  for (const std::int64_t rows : {5, 8}) {
    Suspect off = off_at(rows);
    const auto found = held(off, true);
    EXPECT_EQ(found[0].verdict, core::Verdict::failed) << rows;
    EXPECT_EQ(found[0].n_bad, 1u);
    EXPECT_THAT(found[0].why, HasSubstr("one of both is wrong, since padding does not reach it"));
    EXPECT_THAT(found[0].why, HasSubstr("1 of 40 elements differ; the worst is element [0, 0, 0, 0], "));
  }
  Suspect wrong = testing::spoiler("best", [](ir::Tensor& best) {
    if (best.shape()[2] == 8) best.as<std::int64_t>()[9] ^= 1;  // the second row of the second head
  });
  const auto found = held(wrong, true);
  EXPECT_EQ(found[0].verdict, core::Verdict::passed);
  EXPECT_EQ(found[1].verdict, core::Verdict::failed);
  EXPECT_THAT(found[1].why, HasSubstr("padding does not reach it (the truths agree): 1 of 10 elements differ; the "
                                      "worst is element [0, 1, 1, 0], "));
}

TEST(Bucket, WhatIsWrongInThePaddingIsNobodysBusiness) {
  Suspect off = testing::spoiler("y", [](ir::Tensor& y) {
    if (y.shape()[2] == 8) y.as<float>()[5 * 4] = 1e9F;  // the first row that is padded
  });
  for (const cases::RelationResult& one : held(off, true)) EXPECT_EQ(one.verdict, core::Verdict::passed) << one.why;
}

TEST(Bucket, AFilterChoosesResults) {
  Suspect honest;
  const auto found = held(honest, false, "^best$");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].label, "best");
}

TEST(Bucket, InputsAreTheCasesBesideZeros) {
  const cases::Case subject = testing::make_case(attention(5, true));
  const Bucket bucket = pad(subject, testing::make_case(attention(8, true), 2), "rows=5", "rows=8");
  const auto x = subject.feeds.at("x").as<float>(), padded = bucket.padded.feeds.at("x").as<float>();
  for (std::size_t head = 0; head < 2; ++head)
    for (std::size_t i = 0; i < 32; ++i)
      EXPECT_EQ(padded[head * 32 + i], i < 20 ? x[head * 20 + i] : 0) << head << " " << i;
  EXPECT_TRUE(plumb::tests::same_bytes(bucket.padded.feeds.at("lengths"), subject.feeds.at("lengths")));
  EXPECT_FALSE(plumb::tests::same_bytes(bucket.padded.feeds.at("w"), subject.feeds.at("w")))
      << "the file's own, of seed 2";
}

TEST(Bucket, GraphsThatDoNotGoTogetherAreAnError) {
  const cases::Case subject = testing::make_case(attention(5, true));
  const auto message = [&](const std::string& text) {
    return tests::message_of([&] { pad(subject, testing::make_case(text), "rows=5", "rows=3"); });
  };
  EXPECT_EQ(message(attention(3, true)),
            "small.json: input 'x' is f32[1, 2, 5, 4] at rows=5 and f32[1, 2, 3, 4] at rows=3: the one is no part of "
            "the other");
  EXPECT_EQ(message(attention(8, false)), "small.json: input 'lengths' is not there at rows=3");
}

TEST(Bucket, PromptsOfADecoderTakeFourCompiles) {
  ref_cpu::CpuExecutor cpu;
  testing::expect_four_compiles_for_all_prompts(cpu);
}

TEST(Bucket, LogitsOfADecoderAgreeInAndOutOfTheirBucket) {
  ref_cpu::CpuExecutor cpu;
  testing::expect_buckets_within_limits(cpu, {1, 31, 32, 33, 77, 128, 200});
}

}  // namespace
}  // namespace plumb::parity::checks::relations::bucket_test
