#pragma once

// Bytes of GGUF files, for tests of their reader.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::tests {

/// Bytes of a file, piece by piece.
struct GgufBytes {
  std::string text;

  template <class T>
  GgufBytes& number(T value) {
    text.append(reinterpret_cast<const char*>(&value), sizeof(T));
    return *this;
  }
  GgufBytes& u32(std::uint32_t value) { return number(value); }
  GgufBytes& u64(std::uint64_t value) { return number(value); }
  GgufBytes& string(std::string_view value) {
    u64(value.size());
    text += value;
    return *this;
  }
  GgufBytes& tensor(std::string_view name, const std::vector<std::uint64_t>& extents, std::uint32_t type,
                    std::uint64_t offset) {
    string(name).u32(static_cast<std::uint32_t>(extents.size()));
    for (const std::uint64_t extent : extents) u64(extent);
    return u32(type).u64(offset);
  }
  GgufBytes& data(std::size_t bytes, std::size_t alignment = 32) {
    text.append((alignment - text.size() % alignment) % alignment + bytes, '\7');
    return *this;
  }
};

inline GgufBytes gguf_header(std::uint32_t version, std::uint64_t tensors, std::uint64_t values) {
  GgufBytes bytes;
  bytes.text = "GGUF";
  return bytes.u32(version).u64(tensors).u64(values);
}

}  // namespace plumb::tests
