// Shared libraries that a user names: which are loaded, and how.
#pragma once

#include <string>

namespace plumb::library::host {

/// A shared library of the user's. It is never unloaded, since threads of it may outlive what loaded it.
class LibraryFile {
 public:
  /// Throws Error unless the path contains a slash and names a regular file, neither it nor its folder can be written
  /// by everybody (a sticky folder may be), and it can be loaded.
  explicit LibraryFile(const std::string& path);

  /// The address of a symbol, null where there is none.
  void* find(const std::string& symbol) const;

 private:
  void* handle_ = nullptr;
};

}  // namespace plumb::library::host
