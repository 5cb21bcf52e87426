// Exit codes for `git bisect run`.
#include "parity/cli/show/bisect.hpp"

#include <CLI/CLI.hpp>
#include <iostream>

#include "ir/error.hpp"

namespace plumb::parity::cli::show {

CLI::Option* add_bisect_flag(CLI::App& app, bool& is_asked) {
  return app.add_flag("--git-bisect", is_asked, "for git bisect run: end with 0, 1, or 125 for all else");
}

int exit_for_bisect(bool is_asked, const std::function<int()>& run) {
  if (!is_asked) return run();
  constexpr int untestable = 125;  // git bisect skips such a commit
  try {
    const int code = run();
    return code == 0 || code == 1 ? code : untestable;
  } catch (const ir::Error& error) {
    std::cerr << "plumb: " << error.what() << '\n';
    return untestable;
  }
}

}  // namespace plumb::parity::cli::show
