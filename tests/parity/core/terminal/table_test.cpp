// Tables that fit the screen, and those that are as wide as they need to be.
#include "parity/core/terminal/table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "parity/compare/compare.hpp"
#include "parity/core/terminal/fitted_table.hpp"

namespace plumb::parity::terminal_test {
namespace {

using ::testing::ElementsAre;

core::terminal::FittedTable small_table() {
  core::terminal::FittedTable table({{.header = "node", .is_left = true},
                                     {.header = "op", .is_left = true, .goes = 2},
                                     {.header = "us", .least = 6, .gap = 1, .goes = 1},
                                     {.header = "verdict", .is_left = true}});
  table.row({"encoder/layer/attention", "add", "1.5", "failed"}, core::terminal::Colour::red);
  return table;
}

TEST(FittedTable, HasAllColumnsWhereTheyFit) {
  EXPECT_THAT(small_table().lines({}), ElementsAre("node                     op      us  verdict",
                                                   "encoder/layer/attention  add    1.5  failed"));
}

TEST(FittedTable, ColumnsGoInTheirOrderAndThenNamesAreCut) {
  EXPECT_THAT(small_table().lines({.width = 44}), ElementsAre("node                     op      us  verdict",
                                                              "encoder/layer/attention  add    1.5  failed"));
  EXPECT_THAT(small_table().lines({.width = 43})[1], "encoder/layer/attention  add  failed");
  EXPECT_THAT(small_table().lines({.width = 36})[1], "encoder/layer/attention  failed");
  EXPECT_THAT(small_table().lines({.width = 27}),
              ElementsAre("node                verdict", "encoder/..ttention  failed"));
  EXPECT_THAT(small_table().lines({.width = 3})[1], "encoder..tention  failed");
}

TEST(FittedTable, OnlyTheLastColumnIsColoured) {
  EXPECT_THAT(small_table().lines({.width = 30, .is_coloured = true})[1],
              "encoder/la..attention  \033[31mfailed\033[0m");
}

TEST(FittedTable, CellsHoldNothingThatATerminalObeys) {
  core::terminal::FittedTable table({{.header = "node", .is_left = true}, {.header = "verdict", .is_left = true}});
  table.row({"a\x1B[2J", "passed"});
  EXPECT_THAT(table.lines({})[1], "a\uFFFD[2J  passed");
}

TEST(TextTable, AlignsByCharactersAndLeavesNotesAlone) {
  core::terminal::TextTable table({"name", "n"}, 1);
  table.row({"β", "10"});
  table.note("a note that is longer than the table");
  table.row({"gamma", "7"});
  EXPECT_EQ(table.text(), "name    n\nβ      10\n  a note that is longer than the table\ngamma   7\n");
}

TEST(TextTable, NumbersAreShort) {
  EXPECT_EQ(core::terminal::short_number(1.23456e-7), "1.23e-07");
  EXPECT_EQ(core::terminal::short_number(0.21), "0.21");
  EXPECT_EQ(core::terminal::short_number(9312.4), "9312");
  EXPECT_EQ(core::terminal::short_number(0), "0");
  EXPECT_EQ(core::terminal::short_number(compare::not_computed), "-");
  EXPECT_EQ(core::terminal::short_number(INFINITY), "inf");
}

}  // namespace
}  // namespace plumb::parity::terminal_test
