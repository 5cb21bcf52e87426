// Texts packed by zlib.
#include "ir/formats/gzip.hpp"

#include <zlib.h>

#include "ir/error.hpp"

namespace plumb::ir::formats {

std::string gzip(std::string_view text) {
  constexpr int as_gzip = MAX_WBITS + 16, memory = 8;
  z_stream stream = {};
  require(deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, as_gzip, memory, Z_DEFAULT_STRATEGY) == Z_OK,
          "zlib cannot start");
  std::string packed(deflateBound(&stream, text.size()), '\0');
  // zlib takes what it reads as changeable, and changes nothing.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));  // NOLINT
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int status = deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  require(status == Z_STREAM_END && text.size() == stream.total_in, "zlib cannot pack ", text.size(), " bytes");
  return packed;
}

}  // namespace plumb::ir::formats
