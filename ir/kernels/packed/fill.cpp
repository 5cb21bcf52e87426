// Random packed codes under factors of ordinary size.
#include "ir/kernels/packed/fill.hpp"

#include <algorithm>

#include "ir/attribute.hpp"
#include "ir/raw/philox.hpp"

namespace plumb::ir::kernels::packed {
namespace {

/// ± (2^-6 to 2^-3), of 16 bits of a word and its lowest for the sign.
f16 factor(std::uint32_t word) {
  const float part = static_cast<float>(word >> 16) * 0x1p-16f, size = 0x1p-6f + part * (0x1p-3f - 0x1p-6f);
  return f16((word & 1) != 0 ? -size : size);
}

}  // namespace

Format format_named(std::string_view name) {
  Format format{};
  try {
    from_attribute(Attribute(std::string(name)), format);
  } catch (const Error& error) {
    fail("format: ", error.what());
  }
  return format;
}

Tensor fill(const TensorType& type, Format format, std::uint64_t seed, std::uint32_t stream) {
  const Layout block = layout(format);
  require(type.shape.rank() > 0 && type.shape.back() % block.bytes == 0, "fill packed: rows of ", type,
          " have a part of a block of ", enum_name(format), ", which has ", block.bytes, " bytes");
  Tensor codes(type);
  const auto bytes = codes.bytes();
  std::array<std::uint32_t, 4> words{};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i % 4 == 0) words = raw::philox_block(seed, stream, 0, i / 4);
    const std::uint32_t word = words[i % 4];
    const auto place = static_cast<std::int64_t>(i) % block.bytes;
    bytes[i] = static_cast<std::byte>(format == Format::mxfp4 && place == 0 ? 118 + (word >> 29) : word >> 24);
    for (const std::int64_t half : block.halves) {
      if (half < 0 || place != half + 1) continue;
      const std::uint16_t bits = factor(word).bits;
      bytes[i - 1] = static_cast<std::byte>(bits & 255);
      bytes[i] = static_cast<std::byte>(bits >> 8);
    }
  }
  return codes;
}

}  // namespace plumb::ir::kernels::packed
