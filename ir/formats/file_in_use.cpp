// Names the file in use when a library that reads it crashes: one path for each thread, and a signal handler.
#include "ir/formats/file_in_use.hpp"

#include <signal.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <utility>

namespace plumb::ir::formats {
namespace {

thread_local const char* path_in_use = nullptr;
thread_local FileInUse::Work work_in_use = FileInUse::Work::reading;

// A handler of signals reads these; none of them changes once it may run.
constexpr std::array crashes = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
std::array<struct sigaction, crashes.size()> earlier;
int status_of_crash = 0;

void say(const char* text) { [[maybe_unused]] const auto written = write(STDERR_FILENO, text, std::strlen(text)); }

void on_crash(int signal) {
  if (path_in_use != nullptr) {
    say("plumb: ");
    say(path_in_use);
    say(work_in_use == FileInUse::Work::reading ? ": the library that reads it crashed; the file is probably damaged\n"
                                                : ": the library that writes it crashed; the file is not whole\n");
    _exit(status_of_crash);
  }
  // The handler before this one gets the signal as soon as this returns.
  for (std::size_t i = 0; i < crashes.size(); ++i)
    if (crashes[i] == signal) sigaction(signal, &earlier[i], nullptr);
  raise(signal);
}

}  // namespace

FileInUse::FileInUse(std::string path, Work work)
    : path_(std::move(path)), before_(path_in_use), work_before_(work_in_use) {
  path_in_use = path_.c_str();
  work_in_use = work;
}
FileInUse::~FileInUse() {
  path_in_use = before_;
  work_in_use = work_before_;
}

void name_files_of_crashes(int exit_status) {
  // A stack of its own: recursion without an end is a crash, too.
  alignas(16) static std::array<std::byte, std::size_t{1} << 16> room;
  const stack_t stack{.ss_sp = room.data(), .ss_flags = 0, .ss_size = room.size()};
  sigaltstack(&stack, nullptr);
  status_of_crash = exit_status;
  struct sigaction action {};
  action.sa_handler = on_crash;
  action.sa_flags = SA_ONSTACK;
  for (std::size_t i = 0; i < crashes.size(); ++i) sigaction(crashes[i], &action, &earlier[i]);
}

}  // namespace plumb::ir::formats
