#include "ir/files/file_kind.hpp"

#include <fcntl.h>

#include <algorithm>
#include <string>

#include "ir/files/descriptor.hpp"

namespace plumb::ir::files {
namespace {

/// Far enough for the "format" of a graph that begins with a long text.
constexpr std::size_t looked_at = std::size_t{1} << 16;

struct Extension {
  std::string_view text;
  FileKind kind;
};

constexpr std::array extensions = {
    Extension{".h5", FileKind::hdf5},    Extension{".hdf5", FileKind::hdf5}, Extension{".npz", FileKind::zip},
    Extension{".npy", FileKind::npy},    Extension{".json", FileKind::json}, Extension{".xml", FileKind::xml},
    Extension{".toml", FileKind::text},  Extension{".md", FileKind::text},   Extension{".html", FileKind::html},
    Extension{".onnx", FileKind::other}, Extension{".gguf", FileKind::other}};

bool is_binary(std::string_view bytes) {
  return std::ranges::any_of(bytes, [](char c) {
    const auto code = static_cast<unsigned char>(c);
    return code < 0x20 && (code < 0x09 || code > 0x0d) && code != 0x1b;
  });
}

}  // namespace

std::string_view name_of(FileKind kind) { return enum_names(kind)[static_cast<std::size_t>(kind)]; }

FileKind kind_of_bytes(std::string_view begin) {
  using std::string_view_literals::operator""sv;
  if (begin.empty()) return FileKind::nothing;
  if (begin.starts_with("\x89HDF\r\n\x1a\n"sv)) return FileKind::hdf5;
  if (begin.starts_with("PK\x03\x04"sv) || begin.starts_with("PK\x05\x06"sv)) return FileKind::zip;
  if (begin.starts_with("\x93NUMPY"sv)) return FileKind::npy;
  if (is_binary(begin)) return FileKind::other;
  const auto first = begin.find_first_not_of(" \t\r\n");
  const char mark = first == std::string_view::npos ? ' ' : begin[first];
  if (mark == '{') return begin.find("plumb.graph/") == std::string_view::npos ? FileKind::json : FileKind::graph;
  if (mark != '<') return FileKind::text;
  return begin.substr(first).starts_with("<!doctype html") ? FileKind::html : FileKind::xml;
}

FileKind kind_of_file(const std::filesystem::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file) return FileKind::other;
  std::string begin(looked_at, '\0');
  const ssize_t count = ::read(file.number(), begin.data(), begin.size());
  if (count < 0) return FileKind::other;
  return kind_of_bytes(std::string_view(begin).substr(0, static_cast<std::size_t>(count)));
}

bool has_extension(const std::filesystem::path& path, std::string_view extension) {
  const auto small = [](char c) { return 'A' <= c && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::ranges::equal(path.extension().string(), extension, {}, small, small);
}

bool may_be_called(FileKind kind, const std::filesystem::path& path) {
  const FileKind said = kind == FileKind::graph ? FileKind::json : kind;
  const auto found =
      std::ranges::find_if(extensions, [&](const Extension& one) { return has_extension(path, one.text); });
  return found == extensions.end() || found->kind == said;
}

}  // namespace plumb::ir::files
