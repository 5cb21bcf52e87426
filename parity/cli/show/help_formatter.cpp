// Help as CLI11 makes it, folded to the screen.
#include "parity/cli/show/help_formatter.hpp"

#include <algorithm>

#include "parity/core/terminal/style.hpp"
#include "parity/core/terminal/text.hpp"

namespace plumb::parity::cli::show {
namespace {

/// "--fills TEXT:{never, always}", which folds, in place of "TEXT:{never,always}", where that is wider than the screen.
std::string foldable(std::string_view name, std::size_t width) {
  if (name.size() + 2 <= width) return std::string(name);
  std::string text;
  for (const char c : name) text.append(c == ',' ? ", " : std::string(1, c));
  return text;
}

}  // namespace

std::string HelpFormatter::entry(std::string_view name, std::string_view description) const {
  const std::size_t column = get_column_width();
  std::string text = core::terminal::folded("  " + foldable(name, width_), width_, "      ");
  if (description.empty()) return text + '\n';
  const std::string indent(column, ' ');
  text += text.size() < column ? std::string(column - text.size(), ' ') : '\n' + indent;
  // The line begins with the name: it is folded behind as many spaces, which are taken off again.
  return text + core::terminal::folded(indent + std::string(description), width_, indent).substr(column) + '\n';
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
  return entry(make_option_name(option, is_positional) + make_option_opts(option), make_option_desc(option));
}

std::string HelpFormatter::make_subcommand(const CLI::App* command) const {
  return entry(command->get_display_name(), command->get_description());
}

std::string HelpFormatter::make_description(const CLI::App* app) const {
  return core::terminal::folded(CLI::Formatter::make_description(app), width_);
}

std::string HelpFormatter::make_footer(const CLI::App* app) const {
  return core::terminal::folded(CLI::Formatter::make_footer(app), width_, "    ");
}

std::size_t help_width(int descriptor) {
  constexpr std::size_t widest = 100, usual = 80;
  const std::size_t width = core::terminal::style_of({}, core::terminal::surroundings_of(descriptor)).width;
  return width == core::terminal::unlimited ? usual : std::min(width, widest);
}

}  // namespace plumb::parity::cli::show
