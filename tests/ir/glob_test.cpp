// Globs over names.
#include "ir/raw/glob.hpp"

#include <gtest/gtest.h>

#include <string>

namespace plumb::ir::raw {
namespace {

TEST(Glob, MatchesWholeNames) {
  EXPECT_TRUE(glob_matches("a*b?c", "a--b-c"));
  EXPECT_FALSE(glob_matches("a*b?c", "a--bc"));
  EXPECT_TRUE(glob_matches("*", ""));
  EXPECT_FALSE(glob_matches("", "a"));
  EXPECT_FALSE(glob_matches("a", ""));
  EXPECT_FALSE(glob_matches("soft", "softmax"));
}

TEST(Glob, MatchesLettersInEitherCaseOnRequest) {
  EXPECT_TRUE(glob_matches("nvidia*h200", "NVIDIA H200", Letters::either_case));
  EXPECT_FALSE(glob_matches("nvidia*h200", "NVIDIA H200"));
  EXPECT_FALSE(glob_matches("nvidia", "NVIDIA H200", Letters::either_case));
}

TEST(Glob, TakesNoTimeThatGrowsWithItsStars) {
  std::string pattern(200, '*');
  pattern.push_back('b');
  EXPECT_FALSE(glob_matches(pattern, std::string(5000, 'a')));
}

}  // namespace
}  // namespace plumb::ir::raw
