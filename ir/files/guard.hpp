#pragma once

// The process between this one and a program: it sees to it that nothing of the program outlives either.

#include <sys/types.h>

#include <array>

namespace plumb::ir::files {

/// The file descriptors that a guard has from this process.
struct GuardEnds {
  int lifeline;  ///< it is at its end when this process is gone, or wants no more of the program
  int report;    ///< takes GuardReports
  int input;     ///< the program's stdin
  int output;    ///< its stdout and stderr
};

/// All that a guard works with, made before it is forked: until it ends it calls only what is safe in the copy of a
/// process that has threads, and so allocates nothing.
struct GuardOrders {
  GuardEnds ends;
  const char* program;       ///< its path
  char* const* words;        ///< argv
  char* const* environment;  ///< envp
  int milliseconds;          ///< until SIGTERM
  int grace_milliseconds;    ///< from there to SIGKILL
};

/// A guard reports twice: when the program was started, and when all is over.
struct GuardReport {
  pid_t group = 0;  ///< the program's
  int problem = 0;  ///< errno, where it could not be started
  int status = 0;   ///< as waitpid gives it, in the second report
  int is_late = 0;  ///< it was ended at its deadline
};

/// Starts the program, waits for its end, its deadline or the end of the lifeline, kills what is left, and exits. To be
/// called in a process that was just forked.
[[noreturn]] void guard(const GuardOrders& orders);

}  // namespace plumb::ir::files
