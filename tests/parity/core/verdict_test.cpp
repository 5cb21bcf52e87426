#include "parity/core/verdict.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace plumb::parity::verdict_test {
namespace {

core::Verdict of(const std::vector<core::Verdict>& nodes) {
  return core::overall(std::span<const core::Verdict>(nodes));
}
core::ExitCode of(const std::vector<core::ExitCode>& cases) {
  return core::overall(std::span<const core::ExitCode>(cases));
}

TEST(Verdict, OfACaseIsTheWorstOfItsNodes) {
  using enum core::Verdict;
  EXPECT_EQ(of({passed, failed, mistrusted}), failed);
  EXPECT_EQ(of({passed, mistrusted, fallback}), mistrusted);
  EXPECT_EQ(of({passed, fallback, skipped}), passed);
  EXPECT_EQ(of({failed, error}), error);
}

TEST(Verdict, NothingVerifiedIsNeverPassed) {
  using enum core::Verdict;
  EXPECT_EQ(of({fallback, fallback, skipped}), fallback);
  EXPECT_EQ(of({skipped}), skipped);
  EXPECT_EQ(of(std::vector<core::Verdict>{}), skipped);
}

TEST(ExitCode, PutsTroubleBeforeFailureBeforeSuccess) {
  using enum core::ExitCode;
  EXPECT_EQ(of({passed, failed, tool_error, device_error}), device_error);
  EXPECT_EQ(of({passed, failed, tool_error}), tool_error);
  EXPECT_EQ(of({passed, failed, mistrusted}), failed);
  EXPECT_EQ(of({passed, nothing_ran}), passed);
  EXPECT_EQ(of({nothing_ran}), nothing_ran);
  EXPECT_EQ(of(std::vector<core::ExitCode>{}), nothing_ran);
  EXPECT_EQ(static_cast<int>(nothing_ran), 77);
}

}  // namespace
}  // namespace plumb::parity::verdict_test
