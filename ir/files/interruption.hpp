#pragma once

// How a program that writes files ends when it is told to.

#include <signal.h>
#include <sys/types.h>

#include <functional>
#include <mutex>
#include <string>

namespace plumb::ir::files {

/// While it lives, SIGINT, SIGTERM and SIGHUP wait, so that what it covers is done as a whole. May be nested.
class Uninterrupted {
 public:
  Uninterrupted();

 private:
  const std::lock_guard<std::recursive_mutex> lock_;
};

/// Forks while no other thread is within an Uninterrupted, whose lock nobody would give back in the child.
pid_t fork_uninterrupted();

/// While it lives, it is asked when the process is interrupted: it leaves its files as they should be found, and
/// returns what is to be said of them, or "".
class LastWord {
 public:
  explicit LastWord(std::function<std::string()> say);
  ~LastWord();
  LastWord(const LastWord&) = delete;
  LastWord& operator=(const LastWord&) = delete;

 private:
  friend std::string said_at_the_end(std::string text);

  const std::function<std::string()> say_;
};

/// `text` and what every LastWord has to say, the latest first.
std::string said_at_the_end(std::string text);

/// While it lives, of which there is one at most, SIGTERM and SIGUSR1 end nothing: they ask for an end, which comes
/// when whoever asks is_made() is ready for it.
class StopRequest {
 public:
  StopRequest();
  ~StopRequest();
  StopRequest(const StopRequest&) = delete;
  StopRequest& operator=(const StopRequest&) = delete;

  bool is_made() const;

 private:
  struct sigaction before_ = {};
};

/// For programs, before there is a second thread: SIGINT, SIGTERM and SIGHUP, unless they are ignored, end the process
/// by that signal after one line on stderr.
void end_in_order_when_interrupted();

}  // namespace plumb::ir::files
