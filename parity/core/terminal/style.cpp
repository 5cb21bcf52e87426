// The width and the colours of text for people, by flags, environment and terminal.
#include "parity/core/terminal/style.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>

#include "ir/error.hpp"

namespace plumb::parity::core::terminal {
namespace {

constexpr std::size_t usual_columns = 80;

std::string variable(const char* name) {
  const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nothing here sets variables
  return value == nullptr ? "" : value;
}

/// The whole text as a positive number, or 0.
std::size_t count_of(std::string_view text) {
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  return error == std::errc() && end == text.data() + text.size() ? count : 0;
}

std::size_t width_of(const StyleFlags& flags, const Surroundings& place) {
  if (flags.width) return *flags.width;
  if (const std::size_t columns = count_of(place.COLUMNS); columns > 0) return columns;
  if (!place.is_terminal) return unlimited;
  return place.columns > 0 ? place.columns : usual_columns;
}

bool is_coloured(const StyleFlags& flags, const Surroundings& place) {
  const auto is_forced = [](const std::string& value) { return !value.empty() && value != "0"; };
  if (flags.color != When::automatic) return flags.color == When::always;
  if (!place.NO_COLOR.empty()) return false;
  if (is_forced(place.CLICOLOR_FORCE) || is_forced(place.FORCE_COLOR)) return true;
  return place.is_terminal && place.TERM != "dumb";
}

}  // namespace

Surroundings surroundings_of(int descriptor) {
  Surroundings place{.is_terminal = isatty(descriptor) == 1,
                     .COLUMNS = variable("COLUMNS"),
                     .TERM = variable("TERM"),
                     .NO_COLOR = variable("NO_COLOR"),
                     .CLICOLOR_FORCE = variable("CLICOLOR_FORCE"),
                     .FORCE_COLOR = variable("FORCE_COLOR")};
  winsize window{};
  if (place.is_terminal && ioctl(descriptor, TIOCGWINSZ, &window) == 0) place.columns = window.ws_col;
  return place;
}

Style style_of(const StyleFlags& flags, const Surroundings& place) {
  return {.width = width_of(flags, place), .is_coloured = is_coloured(flags, place)};
}

std::string coloured(std::string_view text, Colour colour, const Style& style) {
  if (!style.is_coloured || colour == Colour::none) return std::string(text);
  return ir::cat(colour == Colour::red ? "\033[31m" : "\033[33m", text, "\033[0m");
}

}  // namespace plumb::parity::core::terminal
