#include "ir/formats/sums_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/noise.hpp"

namespace plumb::ir::formats::sums_json_test {
namespace {

using ::testing::HasSubstr;

const Sum coopmat{.of = SumName::scores,
                  .unit = SumUnit::matrix,
                  .accumulator = DType::f16,
                  .levels = {{16, SumTake::run, SumJoin::unit}, {0, SumTake::every, SumJoin::pair, true}},
                  .order = "reversed",
                  .is_rounded = true,
                  .epilogue = {SumStep::alpha, SumStep::bias},
                  .rescale = 64};

constexpr std::string_view coopmat_text =
    R"({"of": "scores", "unit": {"kind": "matrix", "accumulator": "f16"}, )"
    R"("levels": [{"count": 16, "take": "run", "join": "unit", "compensated": false}, )"
    R"({"count": 0, "take": "every", "join": "pair", "compensated": true}], )"
    R"("order": "reversed", "kept": "rounded", "epilogue": ["alpha", "bias"], "rescale": 64})";

std::string refusal(std::string text) {
  return tests::message_of([&] { parse_sums(text); });
}

TEST(SumsJson, HasEveryFieldByName) {
  const Sum sums[] = {coopmat};
  EXPECT_EQ(to_json(sums), cat('[', coopmat_text, ']'));
  EXPECT_EQ(to_json(std::span<const Sum>{}), "[]");
}

TEST(SumsJson, IsReadBackAsItWas) {
  const Sum sums[] = {coopmat, Sum{}, Sum{.unit = SumUnit::either, .levels = {{}}}};
  EXPECT_THAT(parse_sums(to_json(sums)), ::testing::ElementsAreArray(sums));
}

TEST(SumsJson, ARowNamesItsNodeFirst) {
  const SumOfNode row{"block/\"q\"", coopmat};
  EXPECT_EQ(to_json(row), cat(R"({"node": "block/\"q\"", )", coopmat_text.substr(1)));
  EXPECT_EQ(parse_sum_of_node(to_json(row)), row);
}

TEST(SumsJson, RefusesWhatNobodyKnows) {
  const auto with = [](std::string from, const std::string& to) {
    std::string text = cat('[', coopmat_text, ']');
    return text.replace(text.find(from), from.size(), to);
  };
  EXPECT_THAT(refusal(with("\"kind\": \"matrix\"", "\"kind\": \"abacus\"")), HasSubstr("no such choice: abacus"));
  EXPECT_THAT(refusal(with("\"accumulator\": \"f16\"", "\"accumulator\": \"f99\"")), HasSubstr("no such dtype: f99"));
  EXPECT_THAT(refusal(with("\"of\": \"scores\"", "\"of\": \"score\"")), HasSubstr("no such choice: score"));
  EXPECT_THAT(refusal(with("\"bias\"", "\"biased\"")), HasSubstr("no such choice: biased"));
  EXPECT_THAT(refusal(with("\"order\": \"reversed\", ", "")), HasSubstr("'order' is missing"));
  EXPECT_THAT(refusal(with("\"rescale\": 64", "\"rescale\": -1")), HasSubstr("rescale must be a whole number"));
  EXPECT_THAT(refusal(with("\"kept\"", "\"keeps\"")), HasSubstr("has no field 'keeps'"));
  EXPECT_THAT(refusal("{}"), HasSubstr("sums must be an array, got an object"));
}

}  // namespace
}  // namespace plumb::ir::formats::sums_json_test
