#pragma once

// GGUF files (ops.md J.1, ops.md J.2): metadata and tensors, of which nothing is copied that the file has.

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/files/mapped.hpp"
#include "ir/formats/gguf/types.hpp"
#include "ir/tensor.hpp"

namespace plumb::ir::formats::gguf {

/// A value of the file's metadata, or an array of such. Texts lie in the file.
struct Metadata {
  std::string_view key;
  ValueType type = ValueType::u8;  ///< an array has that of its elements
  bool is_array = false;
  std::uint64_t count = 1;                ///< how many elements there are
  std::uint64_t offset = 0;               ///< where the first element lies in the file
  std::span<const std::byte> bytes = {};  ///< all elements, as they lie in the file

  /// Element k as a whole number: of integers that i64 holds, of others nothing.
  std::optional<std::int64_t> whole(std::uint64_t k = 0) const;
  /// That of a value that is no array.
  std::optional<std::int64_t> number() const { return is_array ? std::nullopt : whole(); }
  /// Element k of f32 or f64.
  std::optional<double> real(std::uint64_t k = 0) const;
  /// Element k of bools.
  std::optional<bool> truth(std::uint64_t k = 0) const;
  /// The text of a string that is no array.
  std::optional<std::string_view> text() const;
  /// It for people: "u32 7", "[f32 x 4096] 1, 2, ..."; no longer than a line.
  std::string shown() const;
};

/// A tensor of the file.
struct TensorInfo {
  std::string_view name;
  ElementType element;
  Shape shape;               ///< in elements, slowest axis first
  TensorType type;           ///< that it is read as: of blocks u8 [.., row bytes]
  std::uint64_t listed = 0;  ///< where its entry begins in the file
  std::uint64_t offset = 0;  ///< where its bytes begin in the file
  std::span<const std::byte> bytes = {};
};

/// The contents of a GGUF file of version 2 or 3, checked whole as they are read: nothing is trusted, and no more is
/// allocated than a part of what the file has. What it hands out lies in the file, which it keeps.
class Gguf {
 public:
  /// `owner` keeps `bytes`. Throws Error that says what is wrong, and at which byte.
  Gguf(std::span<const std::byte> bytes, std::shared_ptr<const void> owner);

  /// Opens a file. Throws Error, without the file's name.
  static Gguf open(const std::filesystem::path& path, files::Access access = files::Access::mapped);

  std::uint32_t version() const { return version_; }
  std::uint64_t alignment() const { return alignment_; }
  std::uint64_t file_bytes() const { return bytes_.size(); }

  /// In the order of the file.
  const std::vector<Metadata>& metadata() const { return metadata_; }
  const std::vector<TensorInfo>& tensors() const { return tensors_; }

  /// Those of a name; null where there is none.
  const Metadata* find(std::string_view key) const;
  const TensorInfo* tensor(std::string_view name) const;

  /// The elements, or the codes of blocks: a view of the file, or a copy of plain ones below 1 MiB, and of what begins
  /// at no multiple of 16.
  Tensor read(const TensorInfo& tensor) const;

 private:
  class Reader;

  std::span<const std::byte> bytes_;
  std::shared_ptr<const void> owner_;
  std::uint32_t version_ = 0;
  std::uint64_t alignment_ = 32;
  std::vector<Metadata> metadata_;
  std::vector<TensorInfo> tensors_;
  std::map<std::string_view, std::size_t> keys_, names_;
};

}  // namespace plumb::ir::formats::gguf
