// Runs work in a child process under limits of time and memory, and says how it ended.
#include "ir/files/child.hpp"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <new>
#include <string>

#include "ir/error.hpp"
#include "ir/files/interruption.hpp"

namespace plumb::ir::files {
namespace {

enum Status { done = 0, refused = 1, out_of_memory = 2 };

/// The address space of this process.
std::uint64_t bytes_mapped() {
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE));
}

void lower(int resource, std::uint64_t soft, std::uint64_t hard) {
  rlimit limit{};
  if (getrlimit(static_cast<__rlimit_resource>(resource), &limit) != 0) return;
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, soft);
  limit.rlim_max = std::min<rlim_t>(limit.rlim_max, hard);
  setrlimit(static_cast<__rlimit_resource>(resource), &limit);
}

/// A crash of the child is its parent's to tell, and no reason for a core file.
void forget_handlers() {
  for (const int one : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGXCPU, SIGINT, SIGTERM, SIGHUP})
    signal(one, SIG_DFL);  // NOLINT(cert-err33-c): the child has nowhere to complain
  lower(RLIMIT_CORE, 0, 0);
  // The thread that waits for signals is not in the copy: they end it by themselves.
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

[[noreturn]] void run_as_child(int report, const ChildLimits& limits, const std::function<void()>& work) {
  forget_handlers();
  lower(RLIMIT_CPU, limits.seconds, limits.seconds + 1);
  const std::uint64_t most = bytes_mapped() + limits.bytes;
  lower(RLIMIT_AS, most, most);
  Status status = done;
  try {
    work();
  } catch (const std::bad_alloc&) {
    status = out_of_memory;
  } catch (const std::exception& error) {
    const std::string text = error.what();
    status = write(report, text.data(), text.size()) < 0 ? done : refused;
  }
  _exit(status);
}

/// All that the child writes until it ends.
std::string read_report(int report) {
  std::string text;
  std::array<char, 4096> part{};
  while (true) {
    const ssize_t count = read(report, part.data(), part.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(part.data(), static_cast<std::size_t>(count));
  }
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return 0;
  return status;
}

}  // namespace

void try_in_child(const ChildLimits& limits, const std::function<void()>& work) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return;
  const pid_t child = fork_uninterrupted();
  if (child == 0) {
    close(ends[0]);
    run_as_child(ends[1], limits, work);
  }
  close(ends[1]);
  const std::string said = child < 0 ? "" : read_report(ends[0]);
  close(ends[0]);
  if (child < 0) return;
  const int status = wait_for(child);
  if (WIFSIGNALED(status)) {
    const int by = WTERMSIG(status);
    if (by == SIGINT || by == SIGTERM || by == SIGHUP) return;  // this process was meant, too
    require(by != SIGXCPU && by != SIGKILL, "reading it takes more than ", limits.seconds,
            " s; the file is probably damaged");
    fail("the library that reads it crashed; the file is probably damaged");
  }
  require(WEXITSTATUS(status) != out_of_memory, "reading it takes more than ", limits.bytes >> 20,
          " MiB; the file is probably damaged");
  if (WEXITSTATUS(status) == refused && !said.empty()) fail(said);
  // A library that ends the process, or a sanitizer that does.
  require(WEXITSTATUS(status) == done, "the library that reads it gave up; the file is probably damaged");
}

}  // namespace plumb::ir::files
