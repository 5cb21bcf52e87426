// The command that shows a case again, quoted for a shell.
#include "parity/verify/repro.hpp"

#include <fmt/format.h>

#include "parity/core/terminal/shell_word.hpp"

namespace plumb::parity::verify {

std::string repro_of(const cases::Case& subject, const VerifyOptions& options) {
  std::string flags;
  if (subject.dtype) flags = " --dtype " + std::string(ir::info(*subject.dtype).name);
  if (!subject.precision.empty()) flags = " --precision " + core::terminal::quoted(subject.precision);
  flags += fmt::format(" --seed {}", subject.seed);
  if (options.mode != core::Mode::attribute) flags += fmt::format(" --mode {}", ir::enum_name(options.mode));
  return fmt::format("plumb verify {}{}{}", core::terminal::shell_word(subject.name), flags, options.flags);
}

}  // namespace plumb::parity::verify
