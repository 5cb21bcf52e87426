#pragma once

// The kind of a file, so that one of another kind is not replaced by mistake.

#include <array>
#include <filesystem>
#include <string_view>

namespace plumb::ir::files {

/// The format of a file by its first bytes; `nothing` for an empty one.
enum class FileKind { nothing, hdf5, zip, npy, graph, json, xml, html, text, other };

constexpr auto enum_names(FileKind) {
  return std::array<std::string_view, 10>{"nothing", "HDF5", "a zip archive", "a NumPy array", "a graph",
                                          "JSON",    "XML",  "HTML",          "text",          "something else"};
}

std::string_view name_of(FileKind kind);

/// The kind of these first bytes of a file. "graph" is JSON of the format plumb.graph, "zip" is what .npz files are.
FileKind kind_of_bytes(std::string_view begin);

/// The kind of a regular file; "other" of one that cannot be read.
FileKind kind_of_file(const std::filesystem::path& path);

/// Whether the file is called so, in capitals or not; ".onnx".
bool has_extension(const std::filesystem::path& path, std::string_view extension);

/// Whether a file of this kind may have this name: an extension that says another kind (.npz of HDF5, say) misleads
/// every program that goes by it, this one included.
bool may_be_called(FileKind kind, const std::filesystem::path& path);

}  // namespace plumb::ir::files
