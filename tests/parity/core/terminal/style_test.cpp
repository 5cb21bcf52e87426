// Which width and colours flags, environment and terminal give.
#include "parity/core/terminal/style.hpp"

#include <gtest/gtest.h>

namespace plumb::parity::terminal_test {
namespace {

using core::terminal::style_of;
using core::terminal::StyleFlags;
using core::terminal::Surroundings;

TEST(Style, WidthIsOfTheFlagThenOfTheEnvironmentThenOfTheTerminal) {
  const Surroundings place{.is_terminal = true, .columns = 132, .COLUMNS = "100"};
  EXPECT_EQ(style_of({.width = 60}, place).width, 60u);
  EXPECT_EQ(style_of({}, place).width, 100u);
  EXPECT_EQ(style_of({}, {.is_terminal = true, .columns = 132}).width, 132u);
  EXPECT_EQ(style_of({}, {.is_terminal = true}).width, 80u);
  EXPECT_EQ(style_of({}, {}).width, core::terminal::unlimited);
}

TEST(Style, AWidthThatIsNoNumberIsNone) {
  for (const char* const text : {"", "0", "-3", "wide", "80x"})
    EXPECT_EQ(style_of({}, {.is_terminal = true, .columns = 132, .COLUMNS = text}).width, 132u) << text;
}

TEST(Style, ColourIsForTerminalsUnlessSaidOtherwise) {
  const StyleFlags flags;
  EXPECT_TRUE(style_of(flags, {.is_terminal = true}).is_coloured);
  EXPECT_FALSE(style_of(flags, {}).is_coloured);
  EXPECT_FALSE(style_of(flags, {.is_terminal = true, .TERM = "dumb"}).is_coloured);
  EXPECT_FALSE(style_of(flags, {.is_terminal = true, .NO_COLOR = "1"}).is_coloured);
  EXPECT_TRUE(style_of(flags, {.FORCE_COLOR = "1"}).is_coloured);
  EXPECT_FALSE(style_of(flags, {.CLICOLOR_FORCE = "0"}).is_coloured);
  EXPECT_FALSE(style_of(flags, {.NO_COLOR = "1", .FORCE_COLOR = "1"}).is_coloured);
}

TEST(Style, TheFlagBeatsTheEnvironment) {
  EXPECT_TRUE(style_of({.color = core::terminal::When::always}, {.NO_COLOR = "1"}).is_coloured);
  EXPECT_FALSE(style_of({.color = core::terminal::When::never}, {.is_terminal = true, .FORCE_COLOR = "1"}).is_coloured);
}

TEST(Style, OnlyColouredTextHasSequences) {
  EXPECT_EQ(core::terminal::coloured("failed", core::terminal::Colour::red, {.is_coloured = true}),
            "\033[31mfailed\033[0m");
  EXPECT_EQ(core::terminal::coloured("failed", core::terminal::Colour::red, {}), "failed");
  EXPECT_EQ(core::terminal::coloured("passed", core::terminal::Colour::none, {.is_coloured = true}), "passed");
}

}  // namespace
}  // namespace plumb::parity::terminal_test
