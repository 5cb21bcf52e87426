// Reads parts of a file that formats point into.
#include "ir/files/random_access.hpp"

#include <cerrno>
#include <cstring>

#include "ir/error.hpp"
#include "ir/files/read_file.hpp"

namespace plumb::ir::files {

RandomAccessFile::RandomAccessFile(const std::filesystem::path& path) {
  require_regular_file(path);
  file_.open(path, std::ios::binary);
  require(file_.is_open(), "cannot be opened: ", std::strerror(errno));
  size_ = std::filesystem::file_size(path);
}

void RandomAccessFile::read(std::uint64_t offset, std::span<std::byte> bytes) const {
  require(has(offset, bytes.size()), "ends early");
  if (bytes.empty()) return;
  file_.clear();
  file_.seekg(static_cast<std::streamoff>(offset));
  file_.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  require(file_.gcount() == static_cast<std::streamsize>(bytes.size()), "cannot be read: ", std::strerror(errno));
}

}  // namespace plumb::ir::files
