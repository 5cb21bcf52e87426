#include "parity/core/verdict.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace plumb::parity::verdict_test {
namespace {

core::Verdict of(const std::vector<core::Verdict>& nodes, const core::Coverage& verified = {}) {
  return core::overall(nodes, verified);
}
core::ExitCode of(const std::vector<core::ExitCode>& cases) {
  return core::overall(std::span<const core::ExitCode>(cases));
}

TEST(Verdict, OfACaseIsTheWorstOfItsNodes) {
  using enum core::Verdict;
  EXPECT_EQ(of({passed, failed, mistrusted}), failed);
  EXPECT_EQ(of({passed, fallback, skipped}), passed);
  EXPECT_EQ(of({failed, error}), error);
}

TEST(Verdict, WorseIsWhatSaysMoreOfWhatIsWrong) {
  using enum core::Verdict;
  const std::vector<core::Verdict> order = {error, failed, nondeterministic, unsupported, xpassed, mistrusted, passed};
  for (std::size_t a = 0; a < order.size(); ++a)
    for (std::size_t b = 0; b < order.size(); ++b)
      EXPECT_EQ(core::is_worse(order[a], order[b]), a < b) << a << ' ' << b;
  EXPECT_FALSE(core::is_worse(skipped, passed));
}

/// One mistrusted node of many is named and costs its share, not the case.
TEST(Coverage, DecidesWhereNothingIsWorse) {
  using enum core::Verdict;
  EXPECT_EQ(of({passed, mistrusted, fallback}, {0.9, 0.5}), passed);
  EXPECT_EQ(of({passed, mistrusted, fallback}, {0.89, 1}), mistrusted);
  EXPECT_EQ(of({passed, fallback}, {1, 0.49}), mistrusted);
  EXPECT_EQ(of({mistrusted, mistrusted}, {1, 1}), mistrusted);
  EXPECT_EQ(of({passed, failed}, {0, 0}), failed);
}

TEST(ExitCode, OfAStrictRunSaysWhatWasNotVerified) {
  using enum core::Verdict;
  const auto strict = [](core::ExitCode usual, core::Verdict verdict, std::vector<core::Verdict> nodes) {
    return core::strict_exit_code(usual, verdict, nodes);
  };
  EXPECT_EQ(strict(core::ExitCode::passed, passed, {passed, skipped}), core::ExitCode::passed);
  for (const core::Verdict one : {mistrusted, fallback, xpassed, unsupported})
    EXPECT_EQ(strict(core::ExitCode::passed, passed, {passed, one}), core::ExitCode::mistrusted);
  EXPECT_EQ(strict(core::ExitCode::failed, failed, {failed, mistrusted}), core::ExitCode::failed);
  EXPECT_EQ(strict(core::ExitCode::nothing_ran, unsupported, {}), core::ExitCode::nothing_ran);  // no device
  EXPECT_EQ(strict(core::ExitCode::nothing_ran, fallback, {fallback}), core::ExitCode::mistrusted);
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
