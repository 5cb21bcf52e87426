#pragma once

// The place up to which the bytes of a GGUF file were read.

#include <bit>
#include <cstring>
#include <span>
#include <string_view>

#include "ir/error.hpp"

namespace plumb::ir::formats::gguf {

static_assert(std::endian::native == std::endian::little, "numbers are read as they lie");

/// Reads numbers and texts one behind the other. Each function throws Error, which begins with the byte's number, where
/// the bytes end or are not what they must be.
class Cursor {
 public:
  explicit Cursor(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::uint64_t offset() const { return at_; }
  std::uint64_t left() const { return bytes_.size() - at_; }

  template <class T>
  T number() {
    need(sizeof(T));
    T value;
    std::memcpy(&value, bytes_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }

  void skip(std::uint64_t count) {
    need(count);
    at_ += count;
  }

  /// A string of any bytes: a count, and the bytes. `what` is what errors call it.
  std::string_view bytes(std::string_view what);

  /// A string of UTF-8.
  std::string_view text(std::string_view what);

  /// A string of 1 to `longest` bytes without control characters.
  std::string_view name(std::string_view what, std::uint64_t longest);

  template <class... Parts>
  [[noreturn]] void fail_at(std::uint64_t offset, const Parts&... parts) const {
    fail("byte ", offset, ": ", parts...);
  }
  template <class... Parts>
  void require_at(std::uint64_t offset, bool holds, const Parts&... parts) const {
    if (!holds) fail_at(offset, parts...);
  }

 private:
  void need(std::uint64_t count) const {
    require_at(at_, count <= left(), "the file ends, and ", count, " more bytes are wanted, ", left(), " are left");
  }

  std::span<const std::byte> bytes_;
  std::uint64_t at_ = 0;
};

}  // namespace plumb::ir::formats::gguf
