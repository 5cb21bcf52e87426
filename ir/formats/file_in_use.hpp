#pragma once

#include <string>

namespace plumb::ir::formats {

/// While it lives, this thread is in a library that may crash, on a damaged file above all.
class FileInUse {
 public:
  enum class Work { reading, writing };

  explicit FileInUse(std::string path, Work work = Work::reading);
  ~FileInUse();
  FileInUse(const FileInUse&) = delete;
  FileInUse& operator=(const FileInUse&) = delete;

 private:
  const std::string path_;
  const char* const before_;
  const Work work_before_;
};

/// For programs: a crash while a file is in use ends the process with this status and a line on stderr that names the
/// file. Any other ends it as it did before.
void name_files_of_crashes(int exit_status);

}  // namespace plumb::ir::formats
