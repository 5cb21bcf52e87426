#pragma once

// Programs of somebody else's, each in a process of its own that is gone, with all that it started, when it has ended.

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/files/descriptor.hpp"

namespace plumb::ir::files {

/// How long a program may take, and how much of its output is kept.
struct ProcessLimits {
  std::chrono::milliseconds time = std::chrono::minutes(10);  ///< then its group gets SIGTERM,
  std::chrono::milliseconds grace = std::chrono::seconds(2);  ///< and that much later SIGKILL
  std::size_t output_bytes = std::size_t{1} << 20;            ///< the last ones are kept
  /// Asked several times a second; once it is true, the program is ended as if its time were over.
  std::function<bool()> is_to_end = {};
};

/// How a program ended.
struct ProcessEnd {
  int status = 0;        ///< its exit status; 0 where a signal ended it
  std::string signal;    ///< the signal that ended it, "SIGSEGV"; "" where it exited
  bool is_late = false;  ///< it did not end in time, or was to end before, and was ended
  std::string output;    ///< the last of what it wrote to stdout and stderr

  bool is_good() const { return status == 0 && signal.empty() && !is_late; }
};

/// The program that `name` stands for: a path where it has a slash, else found in PATH. Throws Error, with the name,
/// unless it is an executable regular file.
std::filesystem::path find_program(const std::string& name);

/// Runs a program, without a shell, and waits for its end. Its stdin is /dev/null, its stdout and stderr are kept; it
/// leads a process group of its own and leaves no core file. What it started and left running is killed when it has
/// ended, and all of it when this process is interrupted or dies. May be called by several threads at once. Throws
/// Error, with the program's name, where it cannot be started.
ProcessEnd run_process(const std::vector<std::string>& words, const ProcessLimits& limits = {});

class ProgramRun;

/// A program that is asked again and again while it runs. Each request is a line on its stdin, which it repeats, alone
/// on a line of its stdout, when it has done what is asked. It is started by the first request, and again by the next
/// one where it has ended, and is gone when its owner is. May be used by several threads; one request is made at a
/// time.
class ServingProgram {
 public:
  /// `limits.time` is what each request may take. Throws Error as run_process does, but for the start itself.
  explicit ServingProgram(std::vector<std::string> words, const ProcessLimits& limits = {});
  ServingProgram(const ServingProgram&) = delete;
  ~ServingProgram();

  /// Makes a request, which may take `time` where that is given. Nothing where the program answered; else how it ended.
  /// Throws Error, with the program's name, where it cannot be started.
  std::optional<ProcessEnd> ask(const std::string& line, std::optional<std::chrono::milliseconds> time = {});

 private:
  std::optional<ProcessEnd> ask_once(const std::string& line, std::chrono::milliseconds time);

  const std::vector<std::string> words_;
  const ProcessLimits limits_;
  const std::filesystem::path path_;
  std::mutex one_at_a_time_;
  Descriptor requests_;
  std::unique_ptr<ProgramRun> run_;
};

/// The words of a command as a POSIX shell splits them: at blanks, with '...', "..." and backslashes. Nothing else has
/// a meaning: $, ~, *, ; and | are letters. Throws Error for a quote or a backslash at the end that lacks its other
/// half.
std::vector<std::string> split_words(std::string_view command);

/// The last lines of a text that nobody vouches for, fit to be shown: each cut to 200 bytes, `?` for control characters
/// and what is no UTF-8.
std::string last_lines(std::string_view text, std::size_t most = 20);

}  // namespace plumb::ir::files
