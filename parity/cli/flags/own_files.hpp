#pragma once

// The programs and files that come with this one, wherever it was built or installed.

#include <string>

namespace plumb::parity::cli::flags {

/// A program that ours starts: beside it where it was built, in libexec/plumbline where it is installed. Throws Error,
/// with the places, where it is in neither.
std::string own_program(const std::string& name);

/// A plugin that comes with ours, likewise: in lib/plumbline/candidates.
std::string own_plugin(const std::string& name);

/// The folder of the Python package, likewise: libexec/plumbline/python.
std::string python_folder();

}  // namespace plumb::parity::cli::flags
