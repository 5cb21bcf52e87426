// Characters that a terminal would obey are replaced; names are cut and lines folded to the width.
#include "parity/core/terminal/text.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace plumb::parity::terminal_test {
namespace {

TEST(Printable, WhatATerminalWouldObeyIsReplaced) {
  EXPECT_EQ(core::terminal::printable("a\x01"
                                      "b\x1B\r\x7F"),
            "a\uFFFDb\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(core::terminal::printable("caf\u00E9\n\t\U0001F600"), "caf\u00E9\n\t\U0001F600");
}

TEST(Printable, EightBitControlsAndMarksOfDirectionAreReplaced) {
  EXPECT_EQ(core::terminal::printable("\u009B31m"), "\uFFFD31m");
  EXPECT_EQ(core::terminal::printable("a\u202Eb\u2066c\u2029"), "a\uFFFDb\uFFFDc\uFFFD");
}

TEST(Printable, WhatIsNoUtf8IsReplacedByteByByte) {
  EXPECT_EQ(core::terminal::printable("no UTF-8: \xFF!"), "no UTF-8: \uFFFD!");
  EXPECT_EQ(core::terminal::printable("\xC0\x80"), "\uFFFD\uFFFD");            // a longer form of NUL
  EXPECT_EQ(core::terminal::printable("\xED\xA0\x80"), "\uFFFD\uFFFD\uFFFD");  // half a surrogate pair
  EXPECT_EQ(core::terminal::printable("\xF4\x90\x80\x80").size(), 4 * 3u);     // above U+10FFFF
  EXPECT_EQ(core::terminal::printable("cut: \xE2\x82"), "cut: \uFFFD\uFFFD");
}

TEST(Printable, XmlCannotHoldNoncharacters) { EXPECT_EQ(core::terminal::printable("\xEF\xBF\xBF"), "\uFFFD"); }

TEST(CutInTheMiddle, KeepsBothEnds) {
  EXPECT_EQ(core::terminal::cut_in_the_middle("encoder/layer/attention", 12), "encod..ntion");
  EXPECT_EQ(core::terminal::cut_in_the_middle("encoder", 7), "encoder");
  EXPECT_EQ(core::terminal::cut_in_the_middle("\u00E9\u00E9\u00E9\u00E9\u00E9\u00E9", 5), "\u00E9\u00E9..\u00E9");
}

TEST(Folded, BreaksAtSpacesAndKeepsWordsAndLines) {
  EXPECT_EQ(core::terminal::folded("one two three", 7, "  "), "one two\n  three");
  EXPECT_EQ(core::terminal::folded("    one two three", 11, "    "), "    one two\n    three");
  EXPECT_EQ(core::terminal::folded("a-very-long-word b\nc", 4), "a-very-long-word\nb\nc");
  EXPECT_EQ(core::terminal::folded("two  spaces\n", 80), "two  spaces\n");
}

TEST(Fitted, LinesThatGoOnBeginDeeperOrBelowTheirColumn) {
  EXPECT_EQ(core::terminal::fitted("  alpha beta gamma\nx\n", 13), "  alpha beta\n      gamma\nx\n");
  constexpr auto line = "name  alpha beta gamma delta epsilon";
  EXPECT_EQ(core::terminal::fitted(line, 30, 6), "name  alpha beta gamma delta\n      epsilon");
  EXPECT_EQ(core::terminal::fitted(line, 29, 6), "name  alpha beta gamma delta\n    epsilon");
  EXPECT_EQ(core::terminal::fitted("a b", std::numeric_limits<std::size_t>::max()), "a b");
}

}  // namespace
}  // namespace plumb::parity::terminal_test
