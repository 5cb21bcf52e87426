// Texts of a GGUF file: a count, and bytes that mostly must be UTF-8.
#include "ir/formats/gguf/cursor.hpp"

#include "ir/raw/utf8.hpp"

namespace plumb::ir::formats::gguf {

std::string_view Cursor::bytes(std::string_view what) {
  const auto length = number<std::uint64_t>();
  const std::uint64_t begin = at_;
  require_at(begin - 8, length <= left(), what, " has ", length, " bytes, ", left(), " are left in the file");
  skip(length);
  return {reinterpret_cast<const char*>(bytes_.data() + begin), length};
}

std::string_view Cursor::text(std::string_view what) {
  const std::string_view text = bytes(what);
  const std::uint64_t begin = at_ - text.size();
  for (std::size_t k = 0; k < text.size();) {
    const raw::CodePoint point = raw::code_point_at(text, k);
    require_at(begin + k, point.is_valid, what, " is no UTF-8");
    k += point.bytes;
  }
  return text;
}

std::string_view Cursor::name(std::string_view what, std::uint64_t longest) {
  const std::uint64_t begin = at_;
  const std::string_view found = text(what);
  require_at(begin, !found.empty() && found.size() <= longest, what, " has ", found.size(), " bytes, wanted 1 to ",
             longest);
  require_at(begin + 8, !raw::has_control(found), what, " has a control character");
  return found;
}

}  // namespace plumb::ir::formats::gguf
