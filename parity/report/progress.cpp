// The bar on stderr that says how far a command is.
#include "parity/report/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "parity/terminal/style.hpp"
#include "parity/terminal/text.hpp"

namespace plumb::parity::report {

Progress::Progress()
    : is_terminal_(isatty(STDERR_FILENO) == 1),
      width_(terminal::style_of({}, terminal::surroundings_of(STDERR_FILENO)).width),
      start_(Clock::now()),
      last_(start_) {}

Progress::~Progress() { erase(); }

void Progress::erase() {
  if (is_drawn_) std::fputs("\r\033[K", stderr);
  is_drawn_ = false;
}

void Progress::step(std::string_view what, std::size_t done, std::size_t steps) {
  using namespace std::chrono_literals;
  const auto now = Clock::now();
  if (!is_terminal_ || now - start_ < 1s || (is_drawn_ && now - last_ < 50ms)) return;
  last_ = now;
  is_drawn_ = true;
  constexpr std::size_t width = 24;
  const std::size_t filled = steps == 0 ? 0 : width * std::min(done, steps) / steps;
  const std::string bar = fmt::format("[{:=<{}}{: <{}}] {}/{} ", "", filled, "", width - filled, done, steps);
  // A bar that is wider than the screen would leave its first line behind.
  const std::size_t room = width_ > bar.size() ? width_ - bar.size() : 0;
  fmt::print(stderr, "\r\033[K{}{}", bar, terminal::cut_in_the_middle(terminal::printable(what), room));
  std::fflush(stderr);
}

}  // namespace plumb::parity::report
