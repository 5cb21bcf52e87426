// The bar on a terminal, which here is a pseudo-terminal in the place of stderr.
#include "parity/report/progress.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <unistd.h>

#include <array>
#include <string>

namespace plumb::parity::progress_test {
namespace {

using namespace std::chrono_literals;
using ::testing::EndsWith;
using ::testing::HasSubstr;

/// While it lives, stderr is a terminal.
class Screen {
 public:
  Screen() : stderr_(dup(STDERR_FILENO)) {
    int theirs = -1;
    if (openpty(&ours_, &theirs, nullptr, nullptr, nullptr) != 0) return;
    dup2(theirs, STDERR_FILENO);
    close(theirs);
  }
  ~Screen() {
    dup2(stderr_, STDERR_FILENO);
    close(stderr_);
    close(ours_);
  }
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  /// The text that is written until nothing has come for so long.
  std::string shown(std::chrono::milliseconds quiet) const {
    std::string text;
    std::array<char, 4096> part{};
    pollfd ours{.fd = ours_, .events = POLLIN, .revents = 0};
    while (poll(&ours, 1, static_cast<int>(quiet.count())) > 0) {
      const ssize_t count = read(ours_, part.data(), part.size());
      if (count <= 0) break;
      text.append(part.data(), static_cast<std::size_t>(count));
    }
    return text;
  }

 private:
  int stderr_, ours_ = -1;
};

TEST(Progress, AStepIsShownWhileItLasts) {
  const Screen screen;
  report::Progress progress(1ms);
  progress.step("reading m.onnx", 0, 0);  // nothing is told after it
  EXPECT_THAT(screen.shown(500ms), EndsWith("\r\033[Kreading m.onnx"));
  progress.step("first run", 1, 4);
  EXPECT_THAT(screen.shown(500ms), HasSubstr("[======                  ] 1/4 first run"));
  report::Progress::erase_any();
  EXPECT_EQ(screen.shown(0ms), "\r\033[K");
  EXPECT_EQ(screen.shown(100ms), "");
}

TEST(Progress, NothingIsShownOfWhatTakesNoTime) {
  const Screen screen;
  {
    report::Progress progress;
    progress.step("reading m.onnx", 0, 0);
    progress.erase();
  }
  report::Progress::erase_any();
  EXPECT_EQ(screen.shown(0ms), "");
}

}  // namespace
}  // namespace plumb::parity::progress_test
