#include "ir/cpu/level.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/error.hpp"
#include "tests/support/noise.hpp"

namespace plumb::ir::cpu::level_test {
namespace {

constexpr std::array all = {Level::v2, Level::v3, Level::v4};

std::string refusal(std::span<const Level> compiled, std::string_view wanted, std::optional<Level> highest) {
  return tests::message_of([&] { choose_level(compiled, wanted, highest); });
}

TEST(CpuLevel, IsTheHighestThatWasCompiledAndTheProcessorHas) {
  EXPECT_EQ(choose_level(all, "", Level::v4), Level::v4);
  EXPECT_EQ(choose_level(all, "", Level::v3), Level::v3);
  EXPECT_EQ(choose_level(std::span(all).first(2), "", Level::v4), Level::v3);
  EXPECT_EQ(choose_level({}, "", std::nullopt), std::nullopt) << "kernels for one processor have no level";
}

TEST(CpuLevel, IsTheOneThatIsNamed) {
  for (const Level level : all) EXPECT_EQ(choose_level(all, enum_names(level)[std::size_t(level)], Level::v4), level);
}

TEST(CpuLevel, RefusesWhatCannotRun) {
  EXPECT_THAT(refusal(all, "avx2", Level::v4), testing::HasSubstr("the levels of this program are v2, v3, v4"));
  EXPECT_THAT(refusal(std::span(all).first(2), "v4", Level::v4), testing::HasSubstr("are v2, v3"));
  EXPECT_THAT(refusal(all, "v4", Level::v3), testing::HasSubstr("no instructions above v3"));
  EXPECT_THAT(refusal(std::span(all).last(2), "", Level::v2),
              testing::HasSubstr("needs a processor of level x86-64-v3"));
  EXPECT_THAT(refusal(all, "", std::nullopt), testing::HasSubstr("needs a processor of level x86-64-v2"));
  EXPECT_THAT(refusal({}, "v3", Level::v4), testing::HasSubstr("one kind of processor only"));
}

}  // namespace
}  // namespace plumb::ir::cpu::level_test
