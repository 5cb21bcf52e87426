// The flags that say how text for people is laid out.
#include "parity/cli/flags/style_flags.hpp"

#include <CLI/CLI.hpp>
#include <map>

#include "parity/cli/flags/validators.hpp"

namespace plumb::parity::cli::flags {

void add_style_flags(CLI::App& app, core::terminal::StyleFlags& flags) {
  static const std::map<std::string, core::terminal::When> words = {{"auto", core::terminal::When::automatic},
                                                                    {"always", core::terminal::When::always},
                                                                    {"never", core::terminal::When::never}};
  app.add_option("--width", flags.width,
                 "columns that the table may take (default: COLUMNS, or those of the terminal); -v shows every column")
      ->check(whole_from_to(40, 10'000))
      ->group("output");
  app.add_option_function<std::string>(
         "--color", [&flags](const std::string& word) { flags.color = words.at(word); },
         "colour the verdicts: auto (on a terminal, unless NO_COLOR is set), always or never")
      ->check(one_of({"auto", "always", "never"}))
      ->default_str("auto")
      ->group("output");
}

}  // namespace plumb::parity::cli::flags
