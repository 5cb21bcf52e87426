#include "parity/core/other_inputs.hpp"

#include <gtest/gtest.h>

#include <complex>

#include "tests/parity/small_case.hpp"

namespace plumb::parity::core::other_inputs_test {
namespace {

TEST(OtherInputs, AreOfTheSecondHalfAndOfTheOtherSign) {
  ir::Graph graph;
  graph.input("x", {ir::DType::i32, {5}});
  graph.input("z", {ir::DType::c64, {2}});
  graph.input("h", {ir::DType::bf16, {3}});
  graph.input("none", {ir::DType::i32, {0}});
  graph.param("w", {ir::DType::i32, {2}});
  const ir::Feeds others =
      turned(graph, {{"x", ir::Tensor::of<std::int32_t>({5}, {1, 2, 3, 4, 5})},
                     {"z", ir::Tensor::of<std::complex<float>>({2}, {{1, 2}, {3, -4}})},
                     {"h", ir::Tensor::of<ir::bf16>({3}, {ir::bf16(1.0F), ir::bf16(2.0F), ir::bf16(-3.0F)})},
                     {"none", ir::Tensor({ir::DType::i32, {0}})},
                     {"w", ir::Tensor::of<std::int32_t>({2}, {6, 7})}});
  const auto numbers = [&](const char* name) {
    const auto all = others.at(name).as<std::int32_t>();
    return std::vector<std::int32_t>(all.begin(), all.end());
  };
  EXPECT_EQ(numbers("x"), (std::vector{5, 5, 4, 4, 3}));
  for (const std::complex<float> z : others.at("z").as<std::complex<float>>())
    EXPECT_EQ(z, (std::complex<float>{-3, 4}));
  const auto halves = others.at("h").as<ir::bf16>();
  EXPECT_EQ(std::vector<float>(halves.begin(), halves.end()), (std::vector<float>{3, 3, -2}));
  EXPECT_EQ(numbers("none"), std::vector<std::int32_t>{});
  EXPECT_EQ(numbers("w"), (std::vector{6, 7}));
}

TEST(RunUnlessRefused, GivesNothingWhereInputsAreRefusedAndThrowsWhereTheDeviceFails) {
  testing::Suspect suspect;
  const cases::Case subject = testing::make_case(testing::small_graph);
  const ir::Graph& graph = subject.file->graph;
  const auto executable = suspect.compile(graph, subject.feeds, {graph.results()});
  const auto results = run_unless_refused(*executable, subject.feeds);
  ASSERT_TRUE(results);
  EXPECT_TRUE(results->contains(graph.results()[0]));
  suspect.on_run = [] { ir::fail("index 8 is out of range"); };
  EXPECT_FALSE(run_unless_refused(*executable, subject.feeds));
  suspect.on_run = [] { throw ir::DeviceError("the device is lost"); };
  EXPECT_THROW(run_unless_refused(*executable, subject.feeds), ir::DeviceError);
}

}  // namespace
}  // namespace plumb::parity::core::other_inputs_test
