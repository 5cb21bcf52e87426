#include "parity/report/node_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/parity/small_case.hpp"

namespace plumb::parity::node_report_test {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(NodeReport, SaysWhatFailedAndWhatItWasMadeOf) {
  testing::Suspect wrong = testing::spoiler("back", [](ir::Tensor& y) { y.as<float>()[13] += 1; });
  const auto result = testing::verify_on(wrong, testing::make_case(testing::small_graph));
  const std::string text = report::node_text(result, testing::node(result, "back"));
  EXPECT_THAT(text, ::testing::StartsWith("back: matmul, f32[11, 5], failed\n"));
  EXPECT_THAT(text, HasSubstr("turned f32[11, 7] (transpose), x f32[7, 5] (input)"));
  EXPECT_THAT(text, ContainsRegex("local, judged +55 elements, 1 beyond their limits; largest error 1, "));
  EXPECT_THAT(text, ContainsRegex("element       .2, 3.: truth [-0-9.e]+, device [-0-9.e]+, off by 1, allowed "));
  EXPECT_THAT(text, ContainsRegex("ulps +.*1 from "));
  EXPECT_THAT(text, HasSubstr("why"));
}

TEST(NodeReport, FoldsItsLinesAndSaysNothingOfWhatIsNotKnown) {
  testing::Suspect honest;
  const auto result = testing::verify_on(honest, testing::make_case(testing::small_graph));
  const std::string text = report::node_text(result, testing::node(result, "weights"), {.width = 60});
  EXPECT_THAT(text, Not(HasSubstr("pattern")));
  EXPECT_THAT(text, Not(HasSubstr("with ")));
  std::size_t widest = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    const std::string line = text.substr(at, end - at);
    if (line.find("  again") != 0) widest = std::max(widest, line.size());
    at = end + 1;
  }
  EXPECT_LE(widest, 60U);
}

}  // namespace
}  // namespace plumb::parity::node_report_test
