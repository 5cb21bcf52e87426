#pragma once

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

}  // namespace plumb::ir::hdf5
