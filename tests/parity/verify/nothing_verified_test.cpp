// Nodes without evidence count neither for a device nor against it: constants, tensors without elements, zeros moved.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/parity/small_case.hpp"

namespace plumb::parity::nothing_verified_test {
namespace {

using testing::labels_with;
using testing::make_case;
using testing::Suspect;
using testing::verify_on;
using Labels = std::vector<std::string>;

cases::Case doubled(const std::string& rows) {
  return make_case(R"({"format": "plumb.graph/1", "inputs": {"x": {"type": "f32[)" + rows + R"(, 3]"}},
    "nodes": [{"label": "half", "op": "constant", "dtype": "f32", "shape": [], "values": [0.5]},
              {"label": "y", "op": "binary", "function": "multiply", "inputs": ["x", "half"]}],
    "results": ["half", "y"]})");
}

TEST(NothingVerified, ConstantsAloneAreNoCoverage) {
  Suspect honest;
  const auto result = verify_on(honest, doubled("0"));
  EXPECT_EQ(result.verdict, core::Verdict::skipped);
  EXPECT_EQ(result.exit, core::ExitCode::nothing_ran);
  EXPECT_EQ(labels_with(result, core::Verdict::skipped), (Labels{"half", "y"}));
  EXPECT_EQ(testing::node(result, "half").why, "given by the graph");
  // One that is wrong, or was asked for by its name, is judged.
  Suspect wrong = testing::spoiler("half", [](ir::Tensor& y) { y.as<float>()[0] = 1; });
  EXPECT_EQ(verify_on(wrong, doubled("0")).verdict, core::Verdict::failed);
  EXPECT_EQ(verify_on(honest, doubled("0"), {.filter = "half"}).verdict, core::Verdict::passed);
  EXPECT_EQ(labels_with(verify_on(honest, doubled("2")), core::Verdict::passed), (Labels{"half", "y"}));
}

TEST(NothingVerified, AGraphOfConstantsIsWhatTheyAre) {
  Suspect honest;
  EXPECT_EQ(verify_on(honest, make_case(R"({"format": "plumb.graph/1",
    "nodes": [{"label": "half", "op": "constant", "dtype": "f32", "shape": [], "values": [0.5]}],
    "results": ["half"]})"))
                .verdict,
            core::Verdict::passed);
}

TEST(NothingVerified, LargeConstantsDoNotMakeUpForWhatProvesNothing) {
  std::string ones = "1";
  for (int i = 1; i < 300; ++i) ones += ", 1";
  const auto result = verify_on(*std::make_unique<Suspect>(), make_case(R"({"format": "plumb.graph/1",
    "inputs": {"x": {"type": "f32[3]", "values": [0, 0, 0]}, "z": {"type": "f32[2]", "values": [1, 2]}},
    "nodes": [{"label": "ones", "op": "constant", "dtype": "f32", "shape": [300], "values": [)" +
                                                                        ones + R"(]},
              {"label": "y", "op": "binary", "function": "multiply", "inputs": ["x", "x"]},
              {"label": "w", "op": "binary", "function": "add", "inputs": ["z", "z"]}],
    "results": ["ones", "y", "w"]})"));
  EXPECT_EQ(labels_with(result, core::Verdict::mistrusted), Labels{"y"});
  EXPECT_NEAR(result.coverage.elements, 0.4, 1e-9);
  EXPECT_EQ(result.verdict, core::Verdict::mistrusted);
}

/// A state of zeros, of which a row is added to x; and what becomes of it besides.
cases::Case streamed(const std::string& besides) {
  return make_case(R"({"format": "plumb.graph/1",
    "inputs": {"state": {"type": "f32[2, 4]", "values": [0, 0, 0, 0, 0, 0, 0, 0]}, "x": {"type": "f32[4]"}},
    "nodes": [{"label": "h", "op": "slice", "inputs": ["state"], "axes": [0], "starts": [1], "sizes": [1]},
              {"label": "row", "op": "reshape", "inputs": ["h"], "shape": [4]},
              {"label": "y", "op": "binary", "function": "add", "inputs": ["row", "x"]},
              {"label": "z", "op": )" +
                   besides + "}], \"results\": [\"y\", \"row\", \"z\"]}");
}

TEST(NothingVerified, ZerosOfAnInputThatAreMovedAreJudgedByTheirBits) {
  const cases::Case moved = streamed(R"("transpose", "inputs": ["state"], "permutation": [1, 0])");
  Suspect honest;
  const auto result = verify_on(honest, moved);
  EXPECT_EQ(labels_with(result, core::Verdict::skipped), (Labels{"h", "row", "z"}));
  EXPECT_EQ(testing::node(result, "row").why, "zeros of an input, moved: its bits agree");
  EXPECT_EQ(result.verdict, core::Verdict::passed);
  Suspect wrong = testing::spoiler("row", [](ir::Tensor& y) { y.as<float>()[1] = -0.0f; });
  EXPECT_EQ(labels_with(verify_on(wrong, moved), core::Verdict::failed), Labels{"row"});
  // Zeros that were computed may be so by mistake.
  const auto computed = verify_on(honest, streamed(R"("binary", "function": "multiply", "inputs": ["row", "row"])"));
  EXPECT_EQ(labels_with(computed, core::Verdict::mistrusted), Labels{"z"});
}

}  // namespace
}  // namespace plumb::parity::nothing_verified_test
