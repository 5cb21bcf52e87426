#pragma once

#include <optional>
#include <string>
#include <vector>

#include "parity/foreign/scratch.hpp"

namespace plumb::parity::cli {

/// Results files by name, of which some stand in archives (.zip), as `plumb report --zip` and systems of continuous
/// integration make them: these are unpacked into a folder of their own, which goes with this.
class ArchivedResults {
 public:
  /// Throws Error, which names the archive, where it has no results file, one that is called out of the archive
  /// ("../x.h5"), or more than 4 GiB.
  explicit ArchivedResults(const std::vector<std::string>& given);

  const std::vector<std::string>& paths() const { return paths_; }

 private:
  void unpack(const std::string& archive);

  std::optional<foreign::Scratch> folder_;  ///< nothing where there are no archives
  std::vector<std::string> paths_;
};

}  // namespace plumb::parity::cli
