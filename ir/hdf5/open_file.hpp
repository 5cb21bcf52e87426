#pragma once

#include <filesystem>
#include <string>

#include "ir/hdf5/id.hpp"

namespace plumb::ir::hdf5 {

/// An open file.
struct OpenFile {
  Id id;
  std::string name;

  /// The dataset or group at a path.
  Id object(const std::string& path) const;
};

/// The identifier of a file that exists, opened with these flags of H5Fopen. What a writer left that was killed is read
/// with its journal (JournaledFile), and what is written goes through one. Throws Error, of what is being written that
/// it is.
Id open_existing(const std::filesystem::path& path, unsigned flags);

}  // namespace plumb::ir::hdf5
