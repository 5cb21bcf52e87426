// The bar on stderr that says how far a command is.
#include "parity/report/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <system_error>
#include <utility>

#include "parity/core/terminal/style.hpp"
#include "parity/core/terminal/text.hpp"

namespace plumb::parity::report {
namespace {

using namespace std::chrono_literals;

constexpr auto between_two = 50ms;

std::mutex of_current;
Progress* current_bar = nullptr;  ///< the bar that there is

}  // namespace

Progress::Progress(std::chrono::milliseconds before_first)
    : is_terminal_(isatty(STDERR_FILENO) == 1),
      width_(core::terminal::style_of({}, core::terminal::surroundings_of(STDERR_FILENO)).width),
      first_(Clock::now() + before_first) {
  if (!is_terminal_) return;
  try {
    drawing_ = std::thread([this] { draw_steps(); });
  } catch (const std::system_error&) {
    return;  // where no more threads are to be had, there is no bar
  }
  const std::lock_guard lock(of_current);
  current_bar = this;
}

Progress::~Progress() {
  if (!drawing_.joinable()) return;
  {
    const std::lock_guard lock(of_current);
    if (current_bar == this) current_bar = nullptr;
  }
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_one();
  drawing_.join();
  erase_drawn();
}

void Progress::draw_steps() {
  std::unique_lock lock(mutex_);
  for (auto next = first_; !is_over_; next = Clock::now() + between_two) {
    changed_.wait_until(lock, next, [this] { return is_over_; });
    if (!is_over_ && is_told_) draw(step_);
    is_told_ = false;
    changed_.wait(lock, [this] { return is_over_ || is_told_; });
  }
}

void Progress::step(std::string_view what, std::size_t done, std::size_t steps) {
  if (!drawing_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    step_.what = what;
    step_.done = done;
    step_.steps = steps;
    if (std::exchange(is_told_, true)) return;
  }
  changed_.notify_one();
}

void Progress::erase_drawn() {
  if (std::exchange(is_drawn_, false)) std::fputs("\r\033[K", stderr);
}

void Progress::erase() {
  const std::lock_guard lock(mutex_);
  is_told_ = false;
  erase_drawn();
}

void Progress::erase_any() {
  const std::lock_guard lock(of_current);
  if (current_bar != nullptr) current_bar->erase();
}

void Progress::draw(const Step& step) {
  is_drawn_ = true;
  constexpr std::size_t width = 24;
  std::string bar;
  if (step.steps > 0) {
    const std::size_t filled = width * std::min(step.done, step.steps) / step.steps;
    bar = fmt::format("[{:=<{}}{: <{}}] {}/{} ", "", filled, "", width - filled, step.done, step.steps);
  }
  // A bar that is wider than the screen would leave its first line behind.
  const std::size_t room = width_ > bar.size() ? width_ - bar.size() : 0;
  fmt::print(stderr, "\r\033[K{}{}", bar,
             core::terminal::cut_in_the_middle(core::terminal::printable(step.what), room));
  std::fflush(stderr);
}

}  // namespace plumb::parity::report
