// A guard runs one program: it waits for the program, the deadline or the end of its parent, whichever comes first.
#include "ir/files/guard.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdint>

namespace plumb::ir::files {
namespace {

/// From SIGTERM to SIGKILL where nobody waits for the program any more.
constexpr int short_grace = 300;
/// The longest that what is left of a program is hunted for: what the kernel cannot end must not hold up its parent.
constexpr int longest_sweep = 2000;

std::int64_t now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t{time.tv_sec} * 1000 + time.tv_nsec / 1'000'000;
}

/// Closes every descriptor from `first` on.
void close_from(unsigned first) {
  if (syscall(SYS_close_range, first, ~0U, 0U) == 0) return;
  rlimit limit{};
  constexpr rlim_t most = 65536;
  const rlim_t end = getrlimit(RLIMIT_NOFILE, &limit) == 0 ? std::min(limit.rlim_cur, most) : most;
  for (auto one = static_cast<int>(first); one < static_cast<int>(end); ++one) close(one);
}

/// Gives the ends the numbers from 3 on and closes all other descriptors: those of other guards, of files that are
/// being written, ...
GuardEnds alone_with(const GuardEnds& ends) {
  constexpr int high = 20, first = 3;
  std::array<int, 4> numbers = {ends.lifeline, ends.report, ends.input, ends.output};
  for (int& one : numbers) one = fcntl(one, F_DUPFD, high);
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const int target = first + static_cast<int>(k);
    if (dup3(numbers[k], target, O_CLOEXEC) < 0) _exit(1);
  }
  close_from(first + numbers.size());
  return {first, first + 1, first + 2, first + 3};
}

void say(int report, const GuardReport& what) {
  while (write(report, &what, sizeof what) < 0 && errno == EINTR) continue;
}

/// Between vfork and exec: the memory is the guard's. Where it cannot become the program, it writes errno.
[[noreturn]] void become_program(const GuardOrders& orders, const GuardEnds& ends, pid_t parent, int complaint) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const bool is_ready = getppid() == parent && dup2(ends.input, STDIN_FILENO) >= 0 &&
                        dup2(ends.output, STDOUT_FILENO) >= 0 && dup2(ends.output, STDERR_FILENO) >= 0;
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (is_ready) execve(orders.program, orders.words, orders.environment);
  const int problem = errno;
  [[maybe_unused]] const auto written = write(complaint, &problem, sizeof problem);
  _exit(127);
}

pid_t start(const GuardOrders& orders, const GuardEnds& ends, int& problem) {
  std::array<int, 2> complaint{};  // closed by exec
  const pid_t parent = getpid();
  // A plain fork would copy the tables of a large process.
  const pid_t program = pipe2(complaint.data(), O_CLOEXEC) == 0 ? vfork() : -1;
  if (program == 0) become_program(orders, ends, parent, complaint[1]);
  problem = program < 0 ? errno : 0;
  if (program < 0) return program;
  close(complaint[1]);
  while (read(complaint[0], &problem, sizeof problem) < 0 && errno == EINTR) continue;
  close(complaint[0]);
  return program;
}

/// The program's group, and the program itself, which may have left it.
void send(pid_t program, int signal) {
  kill(-program, signal);
  kill(program, signal);
}

/// It has ended, but is not waited for yet: until then nobody else gets its number.
bool has_ended(pid_t program) {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(program), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == program;
}

/// Waits until the program has ended; true where that was only after its deadline.
bool wait_for(pid_t program, const GuardOrders& orders, const GuardEnds& ends, int signals) {
  bool is_late = false;
  bool is_wanted = true;
  std::int64_t next = now() + orders.milliseconds;
  int signal = SIGTERM;
  while (!has_ended(program)) {
    const std::int64_t left = std::clamp<std::int64_t>(next - now(), 0, INT_MAX);
    std::array<pollfd, 2> on = {{{signals, POLLIN, 0}, {is_wanted ? ends.lifeline : -1, POLLIN, 0}}};
    poll(on.data(), on.size(), static_cast<int>(left));
    signalfd_siginfo seen{};
    while (read(signals, &seen, sizeof seen) > 0) continue;
    if (is_wanted && on[1].revents != 0) {
      is_wanted = false;
      if (signal == SIGTERM) {
        send(program, SIGTERM);
        signal = SIGKILL;
      }
      next = std::min(next, now() + short_grace);
    } else if (now() >= next) {
      is_late = is_late || is_wanted;
      send(program, signal);
      next = now() + orders.grace_milliseconds;
      signal = SIGKILL;
    }
  }
  return is_late;
}

/// Kills the children that this process has come by: the program's, where they left its group.
void kill_children() {
  const int list = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  std::array<char, 4096> text{};
  pid_t one = 0;
  for (ssize_t count = 0; list >= 0 && (count = read(list, text.data(), text.size())) > 0;)
    for (ssize_t k = 0; k < count; ++k) {
      const char c = text[static_cast<std::size_t>(k)];
      if (c >= '0' && c <= '9') {
        one = one * 10 + (c - '0');
      } else if (one > 0) {
        kill(one, SIGKILL);
        one = 0;
      }
    }
  if (list >= 0) close(list);
}

/// Ends all that is left of the program, itself last, so that its group's number is nobody else's. Its status.
int sweep(pid_t program) {
  const std::int64_t end = now() + longest_sweep;
  int status = 0;
  send(program, SIGKILL);
  waitpid(program, &status, 0);
  while (now() < end) {
    kill_children();
    pid_t reaped = 0;
    while ((reaped = waitpid(-1, nullptr, WNOHANG)) > 0) continue;
    if (reaped < 0 && errno == ECHILD) break;
    poll(nullptr, 0, 2);
  }
  return status;
}

/// No handler of the process that this is a copy of, no signal that ends it early, no core file of the program's.
void prepare() {
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction usual {};
    usual.sa_handler = SIG_DFL;
    sigaction(signal, &usual, nullptr);
  }
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  setpgid(0, 0);
  const rlimit nothing{0, 0};
  setrlimit(RLIMIT_CORE, &nothing);
  prctl(PR_SET_CHILD_SUBREAPER, 1);  // takes over what leaves its parent behind
}

}  // namespace

void guard(const GuardOrders& orders) {
  prepare();
  const GuardEnds ends = alone_with(orders.ends);
  sigset_t ended;
  sigemptyset(&ended);
  sigaddset(&ended, SIGCHLD);
  const int signals = signalfd(-1, &ended, SFD_CLOEXEC | SFD_NONBLOCK);
  GuardReport report;
  if (signals < 0) report.problem = errno;
  if (signals >= 0) report.group = start(orders, ends, report.problem);
  say(ends.report, report);
  if (report.problem != 0) {
    if (report.group > 0) waitpid(report.group, nullptr, 0);
    _exit(1);
  }
  close(ends.output);
  report.is_late = wait_for(report.group, orders, ends, signals) ? 1 : 0;
  report.status = sweep(report.group);
  say(ends.report, report);
  _exit(0);
}

}  // namespace plumb::ir::files
