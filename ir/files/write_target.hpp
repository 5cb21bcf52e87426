#pragma once

// The target behind a name of an output: a file to replace, or a device, pipe or descriptor to write into.

#include <filesystem>
#include <string>

namespace plumb::ir::files {

struct WriteTarget {
  enum class How {
    replaced,  ///< a regular file, or nothing yet: a new file takes the name
    opened,    ///< a device or a pipe: it is opened and written
    given      ///< a descriptor that this process already has, or the file that its stdout or stderr go to
  };

  How how = How::replaced;
  std::filesystem::path path;  ///< links followed
  int descriptor = -1;         ///< where it is given
  std::string what;            ///< "a pipe", for messages
  std::string problem;         ///< why nothing can be written there; else ""
};

/// "-" is stdout.
WriteTarget write_target(const std::filesystem::path& path);

}  // namespace plumb::ir::files
