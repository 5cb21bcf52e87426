// Set-up and end of the whole process: closed streams, signals, crashes, and stdout checked to its end.
#include "parity/cli/process.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>

#include "ir/files/interruption.hpp"
#include "ir/formats/file_in_use.hpp"
#include "ir/raw/keep_memory.hpp"
#include "parity/results/record_hdf5.hpp"

namespace plumb::parity::cli {
namespace {

void open_closed_streams() {
  // The lowest free number is given, which is the closed one's.
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(stream, F_GETFD) < 0 && errno == EBADF && ::open("/dev/null", O_RDWR) < 0) return;
}

}  // namespace

void prepare_process(int exit_status_of_crash) {
  open_closed_streams();
  ir::raw::keep_freed_memory();
  ir::formats::name_files_of_crashes(exit_status_of_crash);
  results::Recorder::prepare_process();
  ir::files::end_in_order_when_interrupted();
}

bool flush_stdout() {
  std::cout.flush();
  errno = 0;
  const bool is_flushed = std::fflush(stdout) == 0;
  const int problem = errno;
  if (is_flushed && std::ferror(stdout) == 0 && std::cout.good()) return true;
  std::cerr << "plumb: not all could be written to stdout" << (problem != 0 ? ": " : "")
            << (problem != 0 ? std::strerror(problem) : "") << '\n';
  return false;
}

}  // namespace plumb::parity::cli
