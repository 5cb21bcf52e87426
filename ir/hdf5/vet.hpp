#pragma once

#include <filesystem>

#include "ir/files/child.hpp"

namespace plumb::ir::hdf5 {

/// How much of a file is read.
enum class Extent { all, attributes_of_root };

/// Reads all tables, texts and attributes of a stranger's file once, in a child process under limits of time and memory
/// (files::try_in_child): what follows in this process is done with a file that can be read to its end. Throws Error
/// with the file's name where it cannot, or where it claims to hold more than its bytes can.
void vet(const std::filesystem::path& path, Extent extent = Extent::all);

/// The limits of a child that reads a file: a second of processor time, and one more for each 2 MiB of the file.
files::ChildLimits limits_of(const std::filesystem::path& path);

}  // namespace plumb::ir::hdf5
