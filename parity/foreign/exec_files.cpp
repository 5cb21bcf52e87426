// Tensors of an exchange as .npy and .bin; whatever a candidate says of a file is compared with the file.
#include "parity/foreign/exec_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "ir/error.hpp"
#include "ir/files/file_kind.hpp"
#include "ir/files/interruption.hpp"
#include "ir/files/path_below.hpp"
#include "ir/formats/npy.hpp"
#include "ir/formats/tensor_files.hpp"
#include "ir/raw/hash.hpp"

namespace plumb::parity::foreign {
namespace {

using ir::files::Descriptor;

void write_all(const Descriptor& file, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = write(file.number(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    ir::require(count > 0, "cannot be written: ", std::strerror(errno));
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

void write_parts(int folder, const std::string& name, std::string_view first, std::span<const std::byte> second) {
  const ir::files::Uninterrupted whole;  // an interruption removes the folder, with what is in it by then
  try {
    constexpr int how = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    Descriptor file(openat(folder, name.c_str(), how, S_IRUSR | S_IWUSR));
    ir::require(static_cast<bool>(file), "cannot be made: ", std::strerror(errno));
    write_all(file, std::as_bytes(std::span(first)));
    write_all(file, second);
    ir::require(file.close(), "cannot be written: ", std::strerror(errno));
  } catch (const ir::Error& error) {
    ir::fail("'", name, "' for the candidate ", error.what());
  }
}

/// Reads that many bytes, or all that there are.
std::size_t read_some(const Descriptor& file, std::span<std::byte> bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = read(file.number(), bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    ir::require(count >= 0, "cannot be read: ", std::strerror(errno));
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  return done;
}

std::uint64_t size_of(const Descriptor& file) {
  struct stat found {};
  ir::require(fstat(file.number(), &found) == 0, "cannot be read: ", std::strerror(errno));
  return static_cast<std::uint64_t>(found.st_size);
}

/// A tensor's file, open where its elements begin.
struct OpenTensor {
  Descriptor file;
  ir::formats::NpyHeader header;  ///< as the answer says it, for a .bin
};

OpenTensor open_tensor(int folder, const AnsweredTensor& tensor) {
  OpenTensor made{ir::files::open_below(folder, tensor.file), {tensor.type, false, 0}};
  const std::uint64_t size = size_of(made.file);
  if (ir::files::has_extension(tensor.file, ".npy")) {
    made.header = ir::formats::parse_npy_header([&](std::span<std::byte> bytes) {
      ir::require(lseek(made.file.number(), 0, SEEK_SET) == 0 && read_some(made.file, bytes) == bytes.size(),
                  "ends early");
    });
    const ir::TensorType found = ir::formats::taken_as(made.header.type, tensor.type.dtype);
    ir::require(found == tensor.type, "holds ", found, ", the answer says ", tensor.type);
    made.header.type = found;
  } else {
    ir::require(ir::files::has_extension(tensor.file, ".bin"), "is called neither .npy nor .bin");
  }
  ir::require(size - made.header.bytes == tensor.type.bytes(), "has ", size - made.header.bytes, " bytes of elements, ",
              tensor.type, " wants ", tensor.type.bytes());
  return made;
}

}  // namespace

void write_new(int folder, const std::string& name, std::string_view text) { write_parts(folder, name, text, {}); }

void write_new(int folder, const std::string& name, const ir::TensorView& tensor) {
  write_parts(folder, name, ir::formats::npy_header(tensor.type()), tensor.bytes());
}

std::uint64_t hash_of_file(int folder, const std::string& name) {
  const Descriptor file = ir::files::open_below(folder, name);
  std::vector<std::byte> part(std::size_t{1} << 20);
  std::uint64_t hash = 0;
  while (true) {
    const std::size_t count = read_some(file, part);
    hash = ir::raw::hash_bytes(std::span(part).first(count), hash);
    if (count < part.size()) return hash;
  }
}

std::string read_text(int folder, const std::string& name, std::size_t most_bytes) {
  const Descriptor file = ir::files::open_below(folder, name);
  const std::uint64_t size = size_of(file);
  ir::require(size <= most_bytes, "has ", size, " bytes, at most ", most_bytes, " are read");
  std::string text(size, '\0');
  text.resize(read_some(file, std::as_writable_bytes(std::span(text))));
  return text;
}

bool exists(int folder, const std::string& name) {
  struct stat found {};
  return fstatat(folder, name.c_str(), &found, AT_SYMLINK_NOFOLLOW) == 0;
}

void check_tensor(int folder, const AnsweredTensor& tensor) { open_tensor(folder, tensor); }

ir::Tensor read_tensor(int folder, const AnsweredTensor& tensor) {
  const OpenTensor found = open_tensor(folder, tensor);
  ir::Tensor elements(found.header.type);
  const auto from = static_cast<off_t>(found.header.bytes);
  ir::require(lseek(found.file.number(), from, SEEK_SET) == from, "cannot be read: ", std::strerror(errno));
  ir::require(read_some(found.file, elements.bytes()) == elements.bytes().size(), "ends early");
  return ir::formats::npy_tensor(found.header, std::move(elements));
}

}  // namespace plumb::parity::foreign
