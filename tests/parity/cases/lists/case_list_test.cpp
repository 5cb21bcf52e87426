#include "parity/cases/lists/case_list.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/error.hpp"

namespace plumb::parity::case_list_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr auto two = R"(schema = "plumb-cases/1"
[defaults]
dtype = "f16"
tags = "nightly"
[[case]]
model = "models/encoder.onnx"
shape = ["batch=1", "tokens=16"]
load_inputs = "in.npz"
expected = "/data/out.npz"
seeds = 3
[[case]]
model = "graphs"
dtype = "f32"
data = "test_data_set_0"
precision = "plans/mine.toml"
)";

TEST(CaseList, SaysWhatEachCaseIsFedAndHeldTo) {
  const auto list = cases::parse_case_list(two, "ci/models.toml");
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[0].model, "ci/models/encoder.onnx");
  EXPECT_THAT(list[0].shapes, ElementsAre("batch=1", "tokens=16"));
  EXPECT_EQ(list[0].load_inputs, "ci/in.npz");
  EXPECT_EQ(list[0].expected, "/data/out.npz");
  EXPECT_EQ(list[0].dtype, "f16");
  EXPECT_EQ(list[0].seeds, 3U);
  EXPECT_EQ(list[0].line, 5);
  EXPECT_EQ(list[1].dtype, "f32");
  EXPECT_EQ(list[1].data, "test_data_set_0");
  EXPECT_EQ(list[1].precision, "ci/plans/mine.toml");
  EXPECT_THAT(list[1].tags, ElementsAre("nightly"));
  EXPECT_FALSE(list[1].seeds);
}

std::string refusal(const std::string& rest) {
  try {
    cases::parse_case_list("schema = \"plumb-cases/1\"\n" + rest, "list.toml");
  } catch (const ir::Error& error) {
    return error.what();
  }
  return "";
}

TEST(CaseList, RefusesWhatItDoesNotKnow) {
  EXPECT_THROW(cases::parse_case_list("[[case]]\nmodel = \"a\"", "list.toml"), ir::Error);
  EXPECT_EQ(refusal("[[case]]\nmodel = \"a\"\nshapes = \"b=1\""),
            "list.toml:4: there is no key 'shapes' of a case; did you mean shape?");
  EXPECT_THAT(refusal("[defaults]\nmodel = \"a\""), HasSubstr("list.toml:3: there is no key 'model' of defaults"));
  EXPECT_EQ(refusal("[[case]]\nshape = \"b=1\""), "list.toml:2: this case has no model");
  EXPECT_EQ(refusal(""), "list.toml: has no [[case]]");
  EXPECT_THAT(refusal("case = 3"), HasSubstr("list.toml:2: case must be a list of tables, [[case]], found "));
  EXPECT_THAT(refusal("[[case]]\nmodel = 3"),
              HasSubstr("list.toml:3: model must be a string that is not empty, found "));
  EXPECT_THAT(refusal("[[case]]\nmodel = \"a\"\nseeds = 0"),
              HasSubstr("list.toml:4: seeds must be a whole number from 1"));
  EXPECT_THAT(refusal("[[case]]\nmodel = \"a\"\nshape = [1]"), HasSubstr("list.toml:4: shape must be a string"));
  EXPECT_THAT(refusal("cases = 1"), HasSubstr("list.toml:2: wanted schema, [defaults] or [[case]], found 'cases'"));
}

}  // namespace
}  // namespace plumb::parity::case_list_test
