#pragma once

// HDF5 files whose changes take effect all at once (JournaledFile).

#include <cstdint>
#include <filesystem>

namespace plumb::ir::hdf5 {

/// Lets files that are opened with this list of access properties go through a JournaledFile.
void use_journal(std::int64_t access_list);

/// Makes what was flushed take effect. The file was opened so; throws Error with the system's reason.
void commit_journal(std::int64_t file);

}  // namespace plumb::ir::hdf5
