// The command that shows a node again, quoted for a shell.
#include "parity/verify/repro.hpp"

#include <fmt/format.h>

#include "parity/terminal/shell_word.hpp"

namespace plumb::parity::verify {

std::string repro_of(const cases::Case& subject, const VerifyOptions& options) {
  std::string flags;
  if (subject.dtype) flags = " --dtype " + std::string(ir::info(*subject.dtype).name);
  if (!subject.precision.empty()) flags = " --precision '" + subject.precision + "'";
  flags += fmt::format(" --seed {}", subject.seed);
  if (options.mode != core::Mode::attribute) flags += fmt::format(" --mode {}", ir::enum_name(options.mode));
  return fmt::format("plumb verify {}{}{}", terminal::shell_word(subject.name), flags, options.flags);
}

std::string repro_of(const std::string& of_case, std::string_view label) {
  std::string pattern = "'^";
  for (const char c : label) {
    if (std::string_view("\\^$.|?*+()[]{}").find(c) != std::string_view::npos) pattern += '\\';
    pattern += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return of_case + " --filter " + pattern + "$'";
}

}  // namespace plumb::parity::verify
