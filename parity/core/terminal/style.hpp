#pragma once

// The width and the colours of text for people.

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace plumb::parity::core::terminal {

/// The width of what is no screen.
inline constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

/// How text for people is laid out.
struct Style {
  std::size_t width = unlimited;  ///< columns of the widest line of a table
  bool is_coloured = false;
};

enum class When { automatic, always, never };

/// The requests of the flags --width and --color.
struct StyleFlags {
  std::optional<std::size_t> width = {};
  When color = When::automatic;
};

/// The properties of the place that text goes to.
struct Surroundings {
  bool is_terminal = false;
  std::size_t columns = 0;  ///< that the terminal has; 0 where it does not say
  /// The environment variables of these names; empty where they are not set.
  std::string COLUMNS = {}, TERM = {}, NO_COLOR = {}, CLICOLOR_FORCE = {}, FORCE_COLOR = {};
};

/// The surroundings of an open file, by its descriptor.
Surroundings surroundings_of(int descriptor);

/// The width is that of the flag, of COLUMNS, of the terminal, or 80 for a terminal that does not say; what is no
/// terminal has none. Colour is for terminals but those of TERM=dumb; NO_COLOR (https://no-color.org), then
/// CLICOLOR_FORCE and FORCE_COLOR have a say before that, and the flag before all of them.
Style style_of(const StyleFlags& flags, const Surroundings& place);

enum class Colour { none, red, yellow };

/// The text between the sequences (ECMA-48, SGR) that colour it, where the style is coloured.
std::string coloured(std::string_view text, Colour colour, const Style& style);

}  // namespace plumb::parity::core::terminal
