#pragma once

#include <filesystem>

namespace plumb::ir::hdf5 {

/// Reads all tables, texts and attributes of a stranger's file once, in a child process under limits of time and memory
/// (files::try_in_child): what follows in this process is done with a file that can be read to its end. Throws Error
/// with the file's name where it cannot, or where it claims to hold more than its bytes can.
void vet(const std::filesystem::path& path);

}  // namespace plumb::ir::hdf5
