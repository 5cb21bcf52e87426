// Zip archives for .npz, with zip64 and deflate: a reader that trusts no size, and a writer that stores.
#include "ir/formats/zip.hpp"

#include <zlib.h>

#include <algorithm>

#include "ir/error.hpp"
#include "ir/files/output_file.hpp"

namespace plumb::ir::formats {
namespace {

constexpr std::uint32_t local_mark = 0x04034b50, central_mark = 0x02014b50, end_mark = 0x06054b50,
                        end64_mark = 0x06064b50, locator_mark = 0x07064b50;
constexpr std::uint32_t in_extra = 0xFFFFFFFF;  ///< the 64-bit value stands in the zip64 extra field
constexpr std::size_t end_bytes = 22, locator_bytes = 20, end64_bytes = 56, local_bytes = 30;
constexpr std::uint64_t most_directory_bytes = 64 << 20;
constexpr std::uint64_t most_inflation = 1032;  ///< deflate cannot do better

/// Reads little-endian numbers one after the other.
class Cursor {
 public:
  explicit Cursor(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::uint64_t number(std::size_t width) {
    std::uint64_t x = 0;
    const auto bytes = take(width);
    for (std::size_t i = 0; i < width; ++i) x |= std::to_integer<std::uint64_t>(bytes[i]) << 8 * i;
    return x;
  }
  std::uint16_t u16() { return static_cast<std::uint16_t>(number(2)); }
  std::uint32_t u32() { return static_cast<std::uint32_t>(number(4)); }
  std::uint64_t u64() { return number(8); }
  std::span<const std::byte> take(std::size_t count) {
    require(count <= bytes_.size(), "is damaged: a zip record ends early");
    const auto taken = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return taken;
  }
  bool done() const { return bytes_.empty(); }

 private:
  std::span<const std::byte> bytes_;
};

/// The zip64 extra field has 64-bit values for those that are in_extra, in order.
void read_extra(std::span<const std::byte> extra, std::initializer_list<std::uint64_t*> values) {
  for (Cursor cursor(extra); !cursor.done();) {
    const auto id = cursor.u16();
    Cursor field(cursor.take(cursor.u16()));
    if (id != 1) continue;
    for (auto* value : values)
      if (*value == in_extra) *value = field.u64();
  }
}

/// Where the records of all members stand.
struct Directory {
  std::uint64_t count = 0, size = 0, offset = 0;
  std::uint64_t record64 = 0;  ///< where the zip64 record of the same stands, if there is one
};

/// Looks for the directory's place in the last bytes of the file; only a comment follows it.
Directory find_directory(std::span<const std::byte> tail) {
  for (std::size_t at = tail.size() < end_bytes ? 0 : tail.size() - end_bytes + 1; at-- > 0;) {
    Cursor end{tail.subspan(at)};
    if (end.u32() != end_mark) continue;
    end.take(6);
    Directory directory{end.u16(), end.u32(), end.u32()};
    if (end.u16() != tail.size() - at - end_bytes) continue;
    if (at < locator_bytes) return directory;
    Cursor locator{tail.subspan(at - locator_bytes)};
    const bool has_locator = locator.u32() == locator_mark;
    locator.take(4);
    if (has_locator) directory.record64 = locator.u64();
    return directory;
  }
  fail("is not a zip archive");
}

Directory directory64(std::span<const std::byte> record) {
  Cursor cursor(record);
  require(cursor.u32() == end64_mark, "is damaged: it has no zip64 directory where it says");
  cursor.take(28);
  return {cursor.u64(), cursor.u64(), cursor.u64()};
}

void put(std::vector<std::byte>& out, std::uint64_t x, std::size_t width) {
  for (std::size_t i = 0; i < width; ++i) out.push_back(static_cast<std::byte>(x >> 8 * i & 0xFF));
}

/// Inflates a member piece by piece.
class Inflater {
 public:
  using Source = std::function<std::span<const std::byte>()>;  ///< the next packed bytes; none at the end

  explicit Inflater(Source source) : source_(std::move(source)) {
    require(inflateInit2(&stream_, -MAX_WBITS) == Z_OK, "zlib cannot start");
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  void read(std::span<std::byte> bytes) {
    while (!bytes.empty()) {
      const auto piece = static_cast<uInt>(std::min<std::size_t>(bytes.size(), 1u << 30));
      stream_.next_out = reinterpret_cast<Bytef*>(bytes.data());
      stream_.avail_out = piece;
      step();
      bytes = bytes.subspan(piece - stream_.avail_out);
    }
  }
  void expect_end() {
    std::byte more;
    stream_.next_out = reinterpret_cast<Bytef*>(&more);
    stream_.avail_out = 1;
    while (!ended_ && stream_.avail_out == 1) step();
    require(ended_ && stream_.avail_out == 1, "is damaged: a deflated member is longer than it says");
  }

 private:
  void step() {
    require(!ended_, "is damaged: a deflated member is shorter than it says");
    if (stream_.avail_in == 0) {
      const auto next = source_();
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(next.data()));
      stream_.avail_in = static_cast<uInt>(next.size());
    }
    const int status = inflate(&stream_, Z_NO_FLUSH);
    ended_ = status == Z_STREAM_END;
    require(ended_ || status == Z_OK, "is damaged: a deflated member cannot be inflated");
  }

  Source source_;
  z_stream stream_ = {};
  bool ended_ = false;
};

std::uint32_t checksum(std::uint32_t crc, std::span<const std::byte> bytes) {
  if (bytes.empty()) return crc;  // zlib takes a null pointer for a request of the first value
  return static_cast<std::uint32_t>(crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace

ZipReader::ZipReader(const std::filesystem::path& path) : file_(path) {
  std::vector<std::byte> tail(std::min<std::uint64_t>(file_.size(), locator_bytes + end_bytes + 0xFFFF));
  read_at(file_.size() - tail.size(), tail);
  Directory directory = find_directory(tail);
  if (directory.record64 != 0) {
    std::vector<std::byte> record(end64_bytes);
    read_at(directory.record64, record);
    directory = directory64(record);
  }
  read_directory(directory.offset, directory.size, directory.count);
}

void ZipReader::read_directory(std::uint64_t offset, std::uint64_t size, std::uint64_t count) {
  require(size <= most_directory_bytes, "has a zip directory of ", size, " bytes");
  require(size <= file_.size() && offset <= file_.size() - size, "is damaged: its zip directory is outside the file");
  std::vector<std::byte> bytes(size);
  read_at(offset, bytes);
  Cursor cursor(bytes);
  for (std::uint64_t i = 0; i < count; ++i) {
    require(cursor.u32() == central_mark, "is damaged: its zip directory is not one");
    cursor.take(4);
    const auto flags = cursor.u16();
    Entry entry;
    entry.method = cursor.u16();
    cursor.take(4);
    entry.crc = cursor.u32();
    entry.packed = cursor.u32();
    entry.size = cursor.u32();
    const auto name_size = cursor.u16(), extra_size = cursor.u16(), comment_size = cursor.u16();
    cursor.take(8);
    entry.offset = cursor.u32();
    const auto name_bytes = cursor.take(name_size);
    const std::string name(reinterpret_cast<const char*>(name_bytes.data()), name_bytes.size());
    read_extra(cursor.take(extra_size), {&entry.size, &entry.packed, &entry.offset});
    cursor.take(comment_size);
    require((flags & 1) == 0, "member '", name, "' is encrypted");
    require(entry.method == 0 || entry.method == 8, "member '", name, "' is packed by method ", entry.method,
            ", wanted stored or deflated");
    require(entry.packed <= file_.size(), "is damaged: member '", name, "' is larger than the file");
    require(entry.method == 0 ? entry.packed == entry.size : entry.size / most_inflation <= entry.packed,
            "is damaged: member '", name, "' cannot have ", entry.size, " bytes in ", entry.packed);
    require(entries_.emplace(name, entry).second, "has two members '", name, "'");
  }
}

void ZipReader::read_at(std::uint64_t offset, std::span<std::byte> bytes) const {
  require(file_.has(offset, bytes.size()), "is damaged: it ends early");
  file_.read(offset, bytes);
}

std::uint64_t ZipReader::data_offset(const Entry& entry) const {
  std::vector<std::byte> header(local_bytes);
  read_at(entry.offset, header);
  Cursor cursor(header);
  require(cursor.u32() == local_mark, "is damaged: it has no zip member where it says");
  cursor.take(22);
  const std::uint64_t name_size = cursor.u16();
  return entry.offset + local_bytes + name_size + cursor.u16();
}

/// The packed bytes of a member, piece by piece, for Inflater.
std::function<std::span<const std::byte>()> ZipReader::packed_bytes(const Entry& entry) const {
  const std::uint64_t first = data_offset(entry);
  return [this, at = first, end = first + entry.packed, buffer = std::vector<std::byte>(1 << 15)]() mutable {
    const auto piece = std::span(buffer).first(std::min<std::uint64_t>(buffer.size(), end - at));
    read_at(at, piece);
    at += piece.size();
    return std::span<const std::byte>(piece);
  };
}

void ZipReader::read_start(const Entry& entry, std::span<std::byte> bytes) const {
  require(bytes.size() <= entry.size, "is damaged: a member ends early");
  if (entry.method == 0)
    read_at(data_offset(entry), bytes);
  else
    Inflater(packed_bytes(entry)).read(bytes);
}

void ZipReader::read(const Entry& entry, std::uint64_t skip, std::span<std::byte> bytes) const {
  require(skip <= entry.size && bytes.size() == entry.size - skip, "is damaged: a member has ", entry.size - skip,
          " bytes of elements, wanted ", bytes.size());
  std::vector<std::byte> head(skip);
  if (entry.method == 0) {
    read_at(data_offset(entry), head);
    read_at(data_offset(entry) + skip, bytes);
  } else {
    Inflater inflater(packed_bytes(entry));
    inflater.read(head);
    inflater.read(bytes);
    inflater.expect_end();
  }
  require(checksum(checksum(0, head), bytes) == entry.crc, "is damaged: the checksum of a member is wrong");
}

void ZipWriter::write(std::span<const std::byte> bytes) {
  file_.write(bytes);
  offset_ += bytes.size();
}

void ZipWriter::add(const std::string& name, std::span<const std::byte> head, std::span<const std::byte> body) {
  require(name.size() <= 0xFFFF, "a name of ", name.size(), " bytes does not fit a zip archive");
  const std::uint64_t offset = offset_, size = head.size() + body.size();
  const auto crc = checksum(checksum(0, head), body);
  const auto name_bytes = std::as_bytes(std::span(name));
  // Version 4.5, UTF-8 names, stored, midnight of 1 January 1980; both sizes in the extra field.
  const auto put_common = [&](std::vector<std::byte>& out, std::size_t extra_size) {
    put(out, 45, 2);
    put(out, 0x800, 2);
    put(out, 0, 2);
    put(out, 0, 2);
    put(out, 0x21, 2);
    put(out, crc, 4);
    put(out, in_extra, 4);
    put(out, in_extra, 4);
    put(out, name.size(), 2);
    put(out, extra_size, 2);
  };
  std::vector<std::byte> local;
  put(local, local_mark, 4);
  put_common(local, 20);
  local.insert(local.end(), name_bytes.begin(), name_bytes.end());
  put(local, 1, 2);
  put(local, 16, 2);
  put(local, size, 8);
  put(local, size, 8);
  put(directory_, central_mark, 4);
  put(directory_, 45, 2);
  put_common(directory_, 28);
  put(directory_, 0, 8);
  put(directory_, 0, 2);
  put(directory_, in_extra, 4);
  directory_.insert(directory_.end(), name_bytes.begin(), name_bytes.end());
  put(directory_, 1, 2);
  put(directory_, 24, 2);
  put(directory_, size, 8);
  put(directory_, size, 8);
  put(directory_, offset, 8);
  write(local);
  write(head);
  write(body);
  ++count_;
}

void ZipWriter::finish() {
  const std::uint64_t directory = offset_, size = directory_.size(), end = directory + size;
  std::vector<std::byte> tail;
  put(tail, end64_mark, 4);
  put(tail, end64_bytes - 12, 8);
  put(tail, 45, 2);
  put(tail, 45, 2);
  put(tail, 0, 8);
  put(tail, count_, 8);
  put(tail, count_, 8);
  put(tail, size, 8);
  put(tail, directory, 8);
  put(tail, locator_mark, 4);
  put(tail, 0, 4);
  put(tail, end, 8);
  put(tail, 1, 4);
  put(tail, end_mark, 4);
  put(tail, 0, 4);
  put(tail, 0xFFFF, 2);
  put(tail, 0xFFFF, 2);
  put(tail, in_extra, 4);
  put(tail, in_extra, 4);
  put(tail, 0, 2);
  write(directory_);
  write(tail);
}

}  // namespace plumb::ir::formats
