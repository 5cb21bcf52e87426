#pragma once

// The programs and files that come with this code, wherever it was built or installed, as part of the program or of
// libplumbline.so.1, which Python's package has in a folder with them.

#include <string>

namespace plumb::library {

/// A program that ours starts: beside it, or in bin, where it was built, in libexec/plumbline where it is installed.
/// Throws Error, with the places, where it is in none.
std::string own_program(const std::string& name);

/// A plugin that comes with ours, likewise: in lib/plumbline/candidates.
std::string own_plugin(const std::string& name);

/// The folder of the Python package, likewise: libexec/plumbline/python.
std::string python_folder();

/// The list of attacks that ships, likewise: share/plumbline/attacks.
std::string own_attacks();

}  // namespace plumb::library
