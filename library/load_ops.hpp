#pragma once

// Ops from outside, for programs that are told in which files they are.

#include <string>

namespace plumb::library {

/// Registers the ops of a file: of plumb.ops/1 where it ends in .json, else of a shared library that exports
/// plumb_ops_entry. Such a library must contain a slash, be a regular file, and neither it nor its folder, unless that
/// is sticky, may be written by everybody; it is never searched for, and never unloaded. Throws Error, naming the file.
void load_ops(const std::string& path);

}  // namespace plumb::library
