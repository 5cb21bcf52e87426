#pragma once

#include <chrono>
#include <string_view>

#include "parity/cases/observer.hpp"

namespace plumb::parity::report {

/// A progress bar on stderr when that is a terminal, for what takes more than a second.
class Progress final : public cases::Observer {
 public:
  Progress();
  ~Progress() override;
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void step(std::string_view what, std::size_t done, std::size_t steps) override;
  /// Takes the bar off the screen, before something else is printed there.
  void erase();

 private:
  using Clock = std::chrono::steady_clock;

  bool is_terminal_, is_drawn_ = false;
  std::size_t width_;
  Clock::time_point start_, last_;
};

}  // namespace plumb::parity::report
