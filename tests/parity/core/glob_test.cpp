// Globs over names.
#include "parity/core/glob.hpp"

#include <gtest/gtest.h>

#include <string>

namespace plumb::parity::core {
namespace {

TEST(Glob, MatchesWholeNames) {
  EXPECT_TRUE(glob_matches("a*b?c", "a--b-c"));
  EXPECT_FALSE(glob_matches("a*b?c", "a--bc"));
  EXPECT_TRUE(glob_matches("*", ""));
  EXPECT_FALSE(glob_matches("", "a"));
  EXPECT_FALSE(glob_matches("a", ""));
  EXPECT_FALSE(glob_matches("soft", "softmax"));
}

TEST(Glob, TakesNoTimeThatGrowsWithItsStars) {
  EXPECT_FALSE(glob_matches(std::string(200, '*') + "b", std::string(5000, 'a')));
}

}  // namespace
}  // namespace plumb::parity::core
