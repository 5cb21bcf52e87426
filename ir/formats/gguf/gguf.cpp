// Reads the container front to back, with a check of each field before it is used (ops.md J.2).
#include "ir/formats/gguf/gguf.hpp"

#include <algorithm>
#include <bit>

#include "ir/formats/gguf/cursor.hpp"
#include "ir/raw/copy_bytes.hpp"
#include "ir/raw/utf8.hpp"

namespace plumb::ir::formats::gguf {
namespace {

constexpr std::uint64_t header_bytes = 24, least_metadata = 14, least_tensor = 25;
/// An entry takes several times the bytes of the smallest one in a file.
constexpr std::uint64_t most_entries = std::uint64_t{1} << 17;
constexpr std::uint64_t most_alignment = std::uint64_t{1} << 20;
constexpr std::size_t longest_shown = 80;

std::string quoted(std::string_view name) { return "'" + raw::shown(name, longest_shown) + "'"; }

}  // namespace

class Gguf::Reader {
 public:
  explicit Reader(Gguf& file) : file_(file), at_(file.bytes_) {}

  void read() {
    require(file_.bytes_.size() >= header_bytes, "has ", file_.bytes_.size(), " bytes; the header of a GGUF file has ",
            header_bytes);
    read_version();
    const std::uint64_t tensors = at_.number<std::uint64_t>(), tensors_at = at_.offset() - 8;
    const std::uint64_t values = at_.number<std::uint64_t>(), values_at = at_.offset() - 8;
    at_.require_at(values_at, values <= most_entries, "says that there are ", values, " metadata values, at most ",
                   most_entries, " are read");
    at_.require_at(tensors_at, tensors <= most_entries, "says that there are ", tensors, " tensors, at most ",
                   most_entries, " are read");
    at_.require_at(values_at, values <= at_.left() / least_metadata, "says that there are ", values,
                   " metadata values; the ", at_.left(), " bytes behind hold at most ", at_.left() / least_metadata);
    at_.require_at(tensors_at, tensors <= at_.left() / least_tensor, "says that there are ", tensors, " tensors; the ",
                   at_.left(), " bytes behind hold at most ", at_.left() / least_tensor);
    for (std::uint64_t k = 0; k < values; ++k) read_metadata();
    read_alignment();
    for (std::uint64_t k = 0; k < tensors; ++k) read_tensor();
    if (tensors > 0) place_tensors();
  }

 private:
  void read_version() {
    constexpr std::array<char, 4> magic = {'G', 'G', 'U', 'F'};
    for (const char c : magic)
      at_.require_at(0, at_.number<std::uint8_t>() == static_cast<std::uint8_t>(c), "does not say GGUF");
    const auto version = at_.number<std::uint32_t>();
    at_.require_at(4, (version & 0xFFFF) != 0, "has version ", version, ", as in a big-endian file, which is not read");
    at_.require_at(4, version != 1, "has version 1, whose counts have 32 bits; versions 2 and 3 are read");
    at_.require_at(4, version <= 3, "has version ", version, "; versions 2 and 3 are read");
    file_.version_ = version;
  }

  /// The type of a value or of an array's elements.
  ValueType read_type(std::string_view key) {
    const auto number = at_.number<std::uint32_t>();
    at_.require_at(at_.offset() - 4, number < value_type_count, "metadata ", quoted(key), " has the value type ",
                   number, "; types are 0 to ", value_type_count - 1);
    return static_cast<ValueType>(number);
  }

  void read_metadata() {
    constexpr std::uint64_t longest_key = 65535;
    const std::uint64_t begin = at_.offset();
    Metadata value{.key = at_.name("a metadata key", longest_key)};
    at_.require_at(begin, file_.keys_.emplace(value.key, file_.metadata_.size()).second, "metadata ", quoted(value.key),
                   " is there twice");
    value.type = read_type(value.key);
    value.is_array = value.type == ValueType::array;
    if (value.is_array) {
      value.type = read_type(value.key);
      at_.require_at(at_.offset() - 4, value.type != ValueType::array, "metadata ", quoted(value.key),
                     " is an array of arrays");
      value.count = at_.number<std::uint64_t>();
      at_.require_at(at_.offset() - 8, value.count <= at_.left() / least_bytes(value.type), "metadata ",
                     quoted(value.key), " is an array of ", value.count, " elements; the ", at_.left(),
                     " bytes behind hold at most ", at_.left() / least_bytes(value.type));
    }
    value.offset = at_.offset();
    if (value.type == ValueType::string)
      // Words of a vocabulary may be parts of characters.
      for (std::uint64_t k = 0; k < value.count; ++k)
        static_cast<void>(value.is_array ? at_.bytes("a text of metadata") : at_.text("a text of metadata"));
    else
      at_.skip(value.count * least_bytes(value.type));
    value.bytes = file_.bytes_.subspan(value.offset, at_.offset() - value.offset);
    if (value.type == ValueType::boolean) check_bools(value);
    file_.metadata_.push_back(value);
  }

  void check_bools(const Metadata& value) const {
    const auto wrong = std::ranges::find_if(value.bytes, [](std::byte x) { return x > std::byte{1}; });
    const auto place = static_cast<std::uint64_t>(wrong - value.bytes.begin());
    at_.require_at(value.offset + place, wrong == value.bytes.end(), "metadata ", quoted(value.key),
                   " has a bool that is neither 0 nor 1");
  }

  void read_alignment() {
    const Metadata* const said = file_.find("general.alignment");
    if (said == nullptr) return;
    at_.require_at(said->offset, said->type == ValueType::u32 && !said->is_array, "general.alignment is ",
                   said->shown(), ", wanted a u32");
    const auto alignment = static_cast<std::uint64_t>(*said->whole());
    at_.require_at(said->offset, std::has_single_bit(alignment) && alignment <= most_alignment, "general.alignment is ",
                   alignment, ", wanted a power of two up to ", most_alignment);
    file_.alignment_ = alignment;
  }

  void read_tensor() {
    constexpr std::uint64_t longest_name = 63;
    TensorInfo tensor{.name = {}, .element = {}, .shape = {}, .type = {}, .listed = at_.offset()};
    tensor.name = at_.name("a tensor's name", longest_name);
    at_.require_at(tensor.listed, file_.names_.emplace(tensor.name, file_.tensors_.size()).second, "tensor ",
                   quoted(tensor.name), " is there twice");
    try {
      read_type_of(tensor);
    } catch (const Error& error) {
      at_.fail_at(tensor.listed, "tensor ", quoted(tensor.name), ": ", error.what());
    }
    file_.tensors_.push_back(std::move(tensor));
  }

  /// Its extents, type and offset, the last from where the data begin.
  void read_type_of(TensorInfo& tensor) {
    constexpr std::uint32_t most_extents = 4;
    const auto rank = at_.number<std::uint32_t>();
    require(rank <= most_extents, "has ", rank, " extents, at most ", most_extents, " are read");
    for (std::uint32_t k = 0; k < rank; ++k) {
      const auto extent = at_.number<std::uint64_t>();
      require(extent < std::uint64_t{1} << 63, "has an extent of ", extent);
      tensor.shape.insert(tensor.shape.begin(), static_cast<std::int64_t>(extent));
    }
    tensor.element = element_type(at_.number<std::uint32_t>());
    tensor.offset = at_.number<std::uint64_t>();
    static_cast<void>(tensor.shape.elements());  // they are fewer than 2^63
    tensor.type = {tensor.element.dtype, tensor.shape};
    if (!tensor.element.is_plain()) {
      const std::int64_t row = tensor.shape.empty() ? 1 : tensor.shape.back();
      require(row % tensor.element.elements == 0, "has rows of ", row, " elements, ", tensor.element.name,
              " wants a multiple of ", tensor.element.elements);
      std::int64_t bytes = 0;
      require(!__builtin_mul_overflow(row / tensor.element.elements, tensor.element.bytes, &bytes), "has rows of ", row,
              " elements");
      tensor.type.shape.back() = bytes;
    }
    check_type(tensor.type);
    require(tensor.offset % file_.alignment_ == 0, "lies at ", tensor.offset, ", no multiple of the alignment, ",
            file_.alignment_);
  }

  /// Turns offsets into places in the file.
  void place_tensors() {
    const std::uint64_t mask = file_.alignment_ - 1, size = file_.bytes_.size(), end = at_.offset();
    const std::uint64_t data = (end + mask) & ~mask;
    at_.require_at(end, data <= size, "the data begin at ", data, ", behind the end of the file, ", size);
    std::vector<const TensorInfo*> sorted;
    for (TensorInfo& tensor : file_.tensors_) {
      const std::uint64_t bytes = tensor.type.bytes(), room = size - data;
      at_.require_at(tensor.listed, tensor.offset <= room && bytes <= room - tensor.offset, "tensor ",
                     quoted(tensor.name), " has ", bytes, " bytes at ", tensor.offset, " of the ", room,
                     " bytes of data");
      tensor.offset += data;
      tensor.bytes = file_.bytes_.subspan(tensor.offset, bytes);
      if (bytes > 0) sorted.push_back(&tensor);
    }
    std::ranges::sort(sorted, {}, &TensorInfo::offset);
    for (std::size_t k = 1; k < sorted.size(); ++k)
      at_.require_at(sorted[k]->offset, sorted[k - 1]->offset + sorted[k - 1]->bytes.size() <= sorted[k]->offset,
                     "tensors ", quoted(sorted[k - 1]->name), " and ", quoted(sorted[k]->name), " overlap");
  }

  Gguf& file_;
  Cursor at_;
};

Gguf::Gguf(std::span<const std::byte> bytes, std::shared_ptr<const void> owner)
    : bytes_(bytes), owner_(std::move(owner)) {
  Reader(*this).read();
}

Gguf Gguf::open(const std::filesystem::path& path, files::Access access) {
  auto file = files::MappedFile::open(path, access);
  return Gguf(file->bytes(), file);
}

const Metadata* Gguf::find(std::string_view key) const {
  const auto found = keys_.find(key);
  return found == keys_.end() ? nullptr : &metadata_[found->second];
}

const TensorInfo* Gguf::tensor(std::string_view name) const {
  const auto found = names_.find(name);
  return found == names_.end() ? nullptr : &tensors_[found->second];
}

Tensor Gguf::read(const TensorInfo& tensor) const {
  constexpr std::size_t small = std::size_t{1} << 20;
  constexpr std::uintptr_t suits_loads = 16;
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(tensor.bytes.data()) % suits_loads == 0;
  if (!is_aligned || (tensor.element.is_plain() && tensor.bytes.size() < small)) {
    Tensor copy(tensor.type);
    raw::copy_bytes(tensor.bytes, copy.bytes());
    return copy;
  }
  return Tensor::shared(tensor.type, tensor.bytes, owner_);
}

}  // namespace plumb::ir::formats::gguf
