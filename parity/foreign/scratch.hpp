#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "ir/files/descriptor.hpp"
#include "ir/files/interruption.hpp"

namespace plumb::parity::foreign {

/// A new folder of mode 0700 through which a program is given tensors and gives its own. It is gone with its owner, or
/// when the process is interrupted; if the process is killed, the next Scratch of the same user removes it.
class Scratch {
 public:
  /// In /dev/shm where that has room for `bytes` twice, else in the temp folder; or, where `keep` is not empty, a new
  /// folder of that one, "run-1" and so on, which stays. Throws Error, with the name, where it cannot be made.
  Scratch(std::uint64_t bytes, const std::filesystem::path& keep);
  ~Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// The folder, open.
  int descriptor() const { return folder_.number(); }

 private:
  void remove();

  std::filesystem::path path_;
  ir::files::Descriptor folder_;
  bool is_kept_ = false;
  std::optional<ir::files::LastWord> last_word_;
};

/// Removes the folders that processes of this user left in `parent` when they were killed. How many.
std::size_t remove_forsaken(const std::filesystem::path& parent);

}  // namespace plumb::parity::foreign
