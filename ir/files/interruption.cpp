#include "ir/files/interruption.hpp"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace plumb::ir::files {
namespace {

/// Never destroyed: the thread that waits for signals outlives static objects.
struct Interruption {
  std::recursive_mutex mutex;
  std::vector<const LastWord*> words;
};

Interruption& interruption() {
  static auto* const one = new Interruption;
  return *one;
}

/// Whether a StopRequest lives, and whether somebody made it. A handler of signals may touch these, being lock-free.
std::atomic<bool> is_requestable = false, is_requested = false;
static_assert(std::atomic<bool>::is_always_lock_free);

void note_request(int) { is_requested = true; }

std::string what_came(int signal) {
  if (signal == SIGINT) return "interrupted";
  return signal == SIGTERM ? "told to end (SIGTERM)" : "its terminal is gone (SIGHUP)";
}

[[noreturn]] void end_by(int signal) {
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  sigaction(signal, &usual, nullptr);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  raise(signal);
  _exit(128 + signal);
}

/// Ends the process even where what is said at the end goes to a pipe that nobody reads. GitHub Actions kill a process
/// 10 s after the first signal, Docker likewise.
void end_soon_by(int signal) {
  constexpr std::chrono::seconds patience{7};
  try {
    std::thread([signal, patience] {
      std::this_thread::sleep_for(patience);
      end_by(signal);
    }).detach();
  } catch (const std::system_error&) {
    // Without a thread to spare it waits for whoever is to read.
  }
}

void wait_for_signal(const sigset_t& signals) {
  int signal = 0;
  do {
    if (sigwait(&signals, &signal) != 0) return;
    if (signal == SIGTERM && is_requestable) is_requested = true;
  } while (signal == SIGTERM && is_requestable);
  // Held to the end, so that nobody writes any more.
  const Uninterrupted whole;
  end_soon_by(signal);
  // A bar of progress may be in the line.
  const std::string start = isatty(STDERR_FILENO) != 0 ? "\r\033[K" : "";
  const std::string text = start + said_at_the_end("plumb: " + what_came(signal)) + '\n';
  [[maybe_unused]] const auto written = write(STDERR_FILENO, text.data(), text.size());
  end_by(signal);
}

}  // namespace

Uninterrupted::Uninterrupted() : lock_(interruption().mutex) {}

pid_t fork_uninterrupted() {
  auto& mutex = interruption().mutex;
  mutex.lock();
  const pid_t child = fork();
  // In the child its thread has another number, under which it cannot unlock what it locked before.
  if (child == 0)
    new (&mutex) std::recursive_mutex;
  else
    mutex.unlock();
  return child;
}

LastWord::LastWord(std::function<std::string()> say) : say_(std::move(say)) {
  const Uninterrupted whole;
  interruption().words.push_back(this);
}

LastWord::~LastWord() {
  const Uninterrupted whole;
  std::erase(interruption().words, this);
}

std::string said_at_the_end(std::string text) {
  const Uninterrupted whole;
  const auto& words = interruption().words;
  for (auto word = words.rbegin(); word != words.rend(); ++word) try {
      const std::string said = (*word)->say_();
      if (!said.empty()) text += "; " + said;
    } catch (const std::exception& problem) {
      text += std::string("; ") + problem.what();
    }
  return text;
}

StopRequest::StopRequest() {
  is_requested = false;
  // SIGTERM is waited for by a thread of its own; SIGUSR1 comes to any that does not block it.
  struct sigaction noted {};
  noted.sa_handler = note_request;
  noted.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &noted, &before_);
  is_requestable = true;
}

StopRequest::~StopRequest() {
  is_requestable = false;
  sigaction(SIGUSR1, &before_, nullptr);
}

bool StopRequest::is_made() const { return is_requested; }

void end_in_order_when_interrupted() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    // A program that a shell put in the background, or that nohup started, is to ignore them.
    if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) sigaddset(&signals, signal);
  }
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  try {
    std::thread(wait_for_signal, signals).detach();
  } catch (const std::system_error&) {
    // Without a thread to spare they end the process as ever.
    pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  }
}

}  // namespace plumb::ir::files
