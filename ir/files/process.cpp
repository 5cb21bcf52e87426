// Starts a guard, which starts the program, and reads what both have to say.
#include "ir/files/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <optional>

#include "ir/error.hpp"
#include "ir/files/descriptor.hpp"
#include "ir/files/guard.hpp"
#include "ir/files/interruption.hpp"
#include "ir/raw/utf8.hpp"

namespace plumb::ir::files {
namespace {

using Clock = std::chrono::steady_clock;

/// How long a guard may be silent beyond the time that its program has: somebody may have stopped it.
constexpr std::chrono::seconds patience{10};

std::string shown_name(const std::string& name) {
  constexpr std::size_t longest = 200;
  return raw::shown(name, longest);
}

/// Why the file cannot be run as a program; "" where it can.
std::string problem_of(const std::filesystem::path& path) {
  std::error_code problem;
  const auto status = std::filesystem::status(path, problem);
  if (!std::filesystem::exists(status)) return problem ? problem.message() : std::strerror(ENOENT);
  if (!std::filesystem::is_regular_file(status)) return "is not a regular file";
  return access(path.c_str(), X_OK) == 0 ? "" : "is not executable";
}

struct Pipe {
  Descriptor read, write;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  require(pipe2(ends.data(), O_CLOEXEC) == 0, "cannot be started: ", std::strerror(errno));
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

void never_wait(const Descriptor& file) { fcntl(file.number(), F_SETFL, O_NONBLOCK); }

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> all;
  for (const auto& word : words) all.push_back(const_cast<char*>(word.c_str()));  // execve's type, which it only reads
  all.push_back(nullptr);
  return all;
}

int milliseconds(std::chrono::milliseconds time) {
  return static_cast<int>(std::clamp<std::int64_t>(time.count(), 0, INT_MAX));
}

Descriptor null_input() {
  Descriptor made(open("/dev/null", O_RDONLY | O_CLOEXEC));
  require(static_cast<bool>(made), "cannot be started: /dev/null: ", std::strerror(errno));
  return made;
}

/// Throws Error unless the words are those of a program, whose path they give.
std::filesystem::path program_of(const std::vector<std::string>& words) {
  require(!words.empty(), "a command without a program");
  for (const auto& word : words) require(word.find('\0') == word.npos, "a word of a command has a NUL character");
  return find_program(words.front());
}

/// Adds the program's name to an Error of `act`.
template <class Act>
auto naming(const std::vector<std::string>& words, Act act) {
  try {
    return act();
  } catch (const Error& error) {
    fail("program '", shown_name(words.front()), "' ", error.what());
  }
}

}  // namespace

/// One run of a program. However it is left, the program and the guard are gone.
class ProgramRun {
 public:
  ProgramRun(const std::string& path, const std::vector<std::string>& words, const ProcessLimits& limits,
             const Descriptor& input)
      : limits_(limits), end_(Clock::now() + limits.time + limits.grace + patience) {
    Pipe lifeline = make_pipe(), report = make_pipe(), output = make_pipe();
    never_wait(report.read);
    never_wait(output.read);
    const auto argv = pointers(words);
    const GuardOrders orders{
        .ends = {lifeline.read.number(), report.write.number(), input.number(), output.write.number()},
        .program = path.c_str(),
        .words = argv.data(),
        .environment = environ,
        .milliseconds = milliseconds(limits.time),
        .grace_milliseconds = milliseconds(limits.grace)};
    {
      const Uninterrupted whole;  // the guard, a copy of this process without its other threads, takes no lock
      guard_ = fork();
      if (guard_ == 0) guard(orders);
      require(guard_ > 0, "cannot be started: ", std::strerror(errno));
      lifeline_ = std::move(lifeline.write);
      report_ = std::move(report.read);
      output_ = std::move(output.read);
      last_word_.emplace([this] { return end_when_interrupted(); });
    }
  }

  ProgramRun(const ProgramRun&) = delete;
  ~ProgramRun() {
    last_word_.reset();
    lifeline_.close();
    wait_for_guard();
    while (waitpid(guard_, nullptr, 0) < 0 && errno == EINTR) continue;
  }

  /// Waits until the program has written a line, has ended, or the time is up. Whether it has written it; all that it
  /// wrote is then forgotten.
  bool wait_for_line(const std::string& line, Clock::time_point until) {
    while (true) {
      read_output();
      if (('\n' + text_).find('\n' + line + '\n') != text_.npos) {
        text_.clear();
        return true;
      }
      if (is_over_ || Clock::now() >= until) return false;
      wait_for_words(std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()) +
                     std::chrono::milliseconds(1));
      read_reports();
    }
  }

  /// Has the program ended, which a guard does in its grace. Whether it still ran.
  bool stop() {
    const bool was_alive = !is_over_;
    lifeline_.close();
    end_ = std::min(end_, Clock::now() + limits_.grace + patience);
    return was_alive;
  }

  ProcessEnd wait() {
    constexpr std::chrono::milliseconds between_questions{200};
    bool is_told = false;
    while (!is_over_ && Clock::now() < end_) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end_ - Clock::now());
      wait_for_words(limits_.is_to_end && !is_told ? std::min(left, between_questions) : left);
      if (limits_.is_to_end && !is_told && limits_.is_to_end()) is_told = stop();
      read_output();
      read_reports();
    }
    if (!last_) end_guard();
    read_output();  // all that could write is gone
    require(problem_ == 0, "cannot be started: ", std::strerror(problem_));
    ProcessEnd end;
    end.output = std::move(text_);
    if (end.output.size() > limits_.output_bytes) end.output.erase(0, end.output.size() - limits_.output_bytes);
    end.is_late = is_told || (last_ ? last_->is_late != 0 : Clock::now() >= end_);
    const int status = last_ ? last_->status : SIGKILL;  // who kills a guard kills its program
    if (WIFSIGNALED(status)) end.signal = name_of_signal(WTERMSIG(status));
    if (WIFEXITED(status)) end.status = WEXITSTATUS(status);
    return end;
  }

 private:
  static std::string name_of_signal(int signal) {
    const char* name = sigabbrev_np(signal);
    return name != nullptr ? cat("SIG", name) : cat("signal ", signal);
  }

  void wait_for_words(std::chrono::milliseconds most) {
    std::array<pollfd, 2> on = {{{report_.number(), POLLIN, 0}, {output_.number(), POLLIN, 0}}};
    poll(on.data(), on.size(), milliseconds(most));
  }

  /// Takes what there is, no more than twice what is kept at a time.
  void read_output() {
    std::array<char, 65536> part{};
    for (std::size_t all = 0; all < 2 * limits_.output_bytes + part.size();) {
      const ssize_t count = read(output_.number(), part.data(), part.size());
      if (count < 0 && errno == EINTR) continue;
      if (count == 0) output_.close();
      if (count <= 0) return;
      all += static_cast<std::size_t>(count);
      text_.append(part.data(), static_cast<std::size_t>(count));
      if (text_.size() > 2 * limits_.output_bytes) text_.erase(0, text_.size() - limits_.output_bytes);
    }
  }

  void read_reports() {
    GuardReport report;
    while (true) {
      const ssize_t count = read(report_.number(), &report, sizeof report);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return;
      if (count != sizeof report) {
        is_over_ = true;
        return;
      }
      if (group_ > 0) last_ = report;
      group_ = report.group;
      problem_ = report.problem;
    }
  }

  /// The guard ends all that there is when the lifeline is at its end, and then itself.
  void wait_for_guard() {
    std::array<pollfd, 1> on = {{{report_.number(), 0, 0}}};  // its hanging up alone: reports are read elsewhere
    const auto soon = Clock::now() + patience;
    while (Clock::now() < soon && (on[0].revents & POLLHUP) == 0) poll(on.data(), on.size(), 100);
    if ((on[0].revents & POLLHUP) == 0) end_guard();
  }

  /// For a guard that does not do its work, or was killed.
  void end_guard() {
    if (group_ > 0) kill(-group_, SIGKILL);
    kill(guard_, SIGKILL);
  }

  std::string end_when_interrupted() {
    lifeline_.close();
    wait_for_guard();
    return "";
  }

  const ProcessLimits limits_;
  Clock::time_point end_;  ///< when a guard that is still there is taken to be stuck
  pid_t guard_ = -1, group_ = 0;
  Descriptor lifeline_, report_, output_;
  int problem_ = 0;
  bool is_over_ = false;
  std::optional<GuardReport> last_;
  std::string text_;
  std::optional<LastWord> last_word_;
};

std::filesystem::path find_program(const std::string& name) {
  require(!name.empty(), "a command without a program");
  if (name.find('/') != name.npos) {
    const std::string problem = problem_of(name);
    require(problem.empty(), "program '", shown_name(name), "': ", problem);
    return name;
  }
  const char* const path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): nobody sets it
  std::string_view folders = path != nullptr ? path : "/usr/bin:/bin";
  while (true) {
    const auto end = folders.find(':');
    const auto folder = folders.substr(0, end);
    auto candidate = std::filesystem::path(folder.empty() ? "." : folder) / name;
    if (problem_of(candidate).empty()) return candidate;
    if (end == folders.npos) break;
    folders.remove_prefix(end + 1);
  }
  fail("program '", shown_name(name), "' is not in PATH");
}

ProcessEnd run_process(const std::vector<std::string>& words, const ProcessLimits& limits) {
  const auto path = program_of(words);
  return naming(words, [&] { return ProgramRun(path.string(), words, limits, null_input()).wait(); });
}

ServingProgram::ServingProgram(std::vector<std::string> words, const ProcessLimits& limits)
    : words_(std::move(words)), limits_(limits), path_(program_of(words_)) {}

ServingProgram::~ServingProgram() = default;

std::optional<ProcessEnd> ServingProgram::ask(const std::string& line, std::optional<std::chrono::milliseconds> time) {
  const std::scoped_lock alone(one_at_a_time_);
  const bool is_running = run_ != nullptr;
  const std::chrono::milliseconds most = time.value_or(limits_.time);
  auto end = ask_once(line, most);
  // It may have ended by itself after an answer, which is no fault.
  if (end && is_running && end->is_good()) end = ask_once(line, most);
  return end;
}

std::optional<ProcessEnd> ServingProgram::ask_once(const std::string& line, std::chrono::milliseconds time) {
  const auto until = Clock::now() + time;
  naming(words_, [&] {
    if (run_ != nullptr) return;
    std::array<int, 2> ends{};
    require(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0,
            "cannot be started: ", std::strerror(errno));
    const Descriptor theirs(ends[1]);
    requests_ = Descriptor(ends[0]);
    ProcessLimits endless = limits_;
    endless.time = std::chrono::milliseconds(INT_MAX);
    run_ = std::make_unique<ProgramRun>(path_.string(), words_, endless, theirs);
  });
  const std::string sent = line + '\n';
  // One that has ended reads nothing, which shows below.
  [[maybe_unused]] const auto count = send(requests_.number(), sent.data(), sent.size(), MSG_NOSIGNAL);
  if (run_->wait_for_line(line, until)) return std::nullopt;
  const auto ending = std::move(run_);  // whatever comes of it, the next request starts another
  const bool was_late = ending->stop();
  ProcessEnd end = naming(words_, [&] { return ending->wait(); });
  end.is_late = was_late;
  return end;
}

}  // namespace plumb::ir::files
