#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "parity/cases/observer.hpp"

namespace plumb::parity::report {

/// A progress bar on stderr when that is a terminal, for what takes more than a second: a thread of its own draws the
/// last step that was told, so that a long step, such as reading a model, is seen while it lasts.
class Progress final : public cases::Observer {
 public:
  /// Until `before_first` has passed there is no bar.
  explicit Progress(std::chrono::milliseconds before_first = std::chrono::seconds(1));
  ~Progress() override;
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// There is no bar of 0 steps, only what is done.
  void step(std::string_view what, std::size_t done, std::size_t steps) override;
  /// Takes the bar off the screen, before something else is printed there; the next step brings it back.
  void erase();
  /// Does that to whatever bar there is, for who prints to stderr and knows of none.
  static void erase_any();

 private:
  using Clock = std::chrono::steady_clock;
  struct Step {
    std::string what = {};
    std::size_t done = 0, steps = 0;
  };

  void draw_steps();
  void draw(const Step& step);
  void erase_drawn();

  const bool is_terminal_;
  const std::size_t width_;
  const Clock::time_point first_;  ///< when the bar may first be drawn
  std::mutex mutex_ = {};          ///< guards all below
  std::condition_variable changed_ = {};
  Step step_ = {};
  bool is_told_ = false, is_drawn_ = false, is_over_ = false;
  std::thread drawing_ = {};
};

}  // namespace plumb::parity::report
