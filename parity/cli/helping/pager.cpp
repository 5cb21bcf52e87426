// Long text on a terminal, through the reader's own program.
#include "parity/cli/helping/pager.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>

namespace plumb::parity::cli {
namespace {

/// Whether the program was started. Its end is waited for.
bool is_read_by(const char* pager, const std::string& text) {
  ::setenv("LESS", "FRX", 0);  // less leaves short text on the screen, and ends by itself, unless it is told otherwise
  FILE* const pipe = ::popen(pager, "w");
  if (pipe == nullptr) return false;
  // A reader who has seen enough closes the pipe, and may stop a search in it by ^C, which the whole group gets.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGINT, SIG_IGN);
  std::fwrite(text.data(), 1, text.size(), pipe);
  const int status = ::pclose(pipe);
  // A shell ends so.
  constexpr int cannot_be_run = 126, not_found = 127;
  return !WIFEXITED(status) || (WEXITSTATUS(status) != cannot_be_run && WEXITSTATUS(status) != not_found);
}

}  // namespace

void show_by_pages(const std::string& text) {
  const char* const pager = std::getenv("PAGER");
  const bool has_pager = pager != nullptr && *pager != '\0' && ::isatty(STDOUT_FILENO) == 1;
  if (!has_pager || !is_read_by(pager, text)) std::cout << text;
}

}  // namespace plumb::parity::cli
