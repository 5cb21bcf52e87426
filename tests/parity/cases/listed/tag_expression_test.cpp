// Expressions over tags: which of them holds where, and where one that is none goes wrong.
#include "parity/cases/listed/tag_expression.hpp"

#include <gmock/gmock.h>

#include "ir/error.hpp"

namespace plumb::parity::cases {
namespace {

using ::testing::ElementsAre;

bool holds(std::string_view text, const Tags& tags) { return TagExpression(text, "--tag").holds_for(tags); }

TEST(TagExpression, NotBindsMoreTightlyThanAndWhichDoesThanOr) {
  for (int bits = 0; bits < 8; ++bits) {
    const bool a = bits & 1, b = bits & 2, c = bits & 4;
    Tags tags;
    if (a) tags.insert("a");
    if (b) tags.insert("b");
    if (c) tags.insert("c");
    EXPECT_EQ(holds("a or b and c", tags), a || (b && c)) << bits;
    EXPECT_EQ(holds("(a or b) and c", tags), (a || b) && c) << bits;
    EXPECT_EQ(holds("not a and b", tags), !a && b) << bits;
    EXPECT_EQ(holds("not (a and b)or c", tags), !(a && b) || c) << bits;
    EXPECT_EQ(holds("not not a", tags), a) << bits;
  }
}

TEST(TagExpression, ATagIsAnyWord) {
  const TagExpression expression(" op:fft and(nightly-2 or AND) ", "--tag");
  EXPECT_THAT(expression.names(), ElementsAre("op:fft", "nightly-2", "AND"));
  EXPECT_TRUE(expression.holds_for({"op:fft", "AND"}));
  EXPECT_EQ(expression.pointing_at("nightly-2"),
            "\n   op:fft and(nightly-2 or AND) "
            "\n              ^");
}

TEST(TagExpression, PointsAtWhatIsWrong) {
  struct Wrong {
    std::string text, problem;
    std::size_t at;
  };
  for (const Wrong& one : {Wrong{"", "wanted a tag, 'not' or '(', found the end", 0},
                           Wrong{"a b", "wanted 'and', 'or' or the end, found 'b'", 2},
                           Wrong{"a and", "wanted a tag, 'not' or '(', found the end", 5},
                           Wrong{"(a or b", "wanted 'and', 'or' or ')', found the end", 7},
                           Wrong{"a)", "wanted 'and', 'or' or the end, found ')'", 1},
                           Wrong{"or a", "wanted a tag, 'not' or '(', found 'or'", 0}}) {
    try {
      const TagExpression made(one.text, "--tag");
      FAIL() << one.text << " is no expression";
    } catch (const ir::Error& error) {
      EXPECT_EQ(std::string(error.what()),
                "--tag: " + one.problem + "\n  " + one.text + "\n  " + std::string(one.at, ' ') + '^');
    }
  }
  EXPECT_THROW(TagExpression(std::string(100'000, '('), "--tag"), ir::Error);
}

}  // namespace
}  // namespace plumb::parity::cases
