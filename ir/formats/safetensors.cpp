// The header of .safetensors is checked whole before any tensor is read, so that no offset of it is trusted later.
#include "ir/formats/safetensors.hpp"

#include <algorithm>
#include <array>

#include "ir/files/random_access.hpp"
#include "ir/formats/json.hpp"

namespace plumb::ir::formats {
namespace {

constexpr std::uint64_t length_bytes = 8;
constexpr std::uint64_t most_safetensors_header = std::uint64_t{64} << 20;
constexpr std::string_view metadata = "__metadata__";

struct Known {
  std::string_view name;
  DType dtype;
};

constexpr std::array<Known, 13> known_dtypes = {{{"BOOL", DType::boolean},
                                                 {"U8", DType::u8},
                                                 {"I8", DType::i8},
                                                 {"U16", DType::u16},
                                                 {"I16", DType::i16},
                                                 {"I32", DType::i32},
                                                 {"U32", DType::u32},
                                                 {"I64", DType::i64},
                                                 {"F16", DType::f16},
                                                 {"BF16", DType::bf16},
                                                 {"F32", DType::f32},
                                                 {"F64", DType::f64},
                                                 {"C64", DType::c64}}};

struct Place {
  TensorType type;
  std::uint64_t begin = 0, end = 0;  ///< in bytes, from the end of the header
};

DType dtype_of_name(const std::string& name) {
  const auto found = std::ranges::find(known_dtypes, std::string_view(name), &Known::name);
  require(found != known_dtypes.end(), "has elements of type '", name.substr(0, 20), "', which no dtype of the IR is");
  return found->dtype;
}

/// The member `key` of a tensor's entry, an array of whole numbers that are not negative.
std::vector<std::int64_t> whole_numbers(const Json& entry, std::string_view key) {
  const Json* member = entry.find(key);
  require(member != nullptr && member->array() != nullptr, "has no array '", key, "'");
  std::vector<std::int64_t> numbers;
  for (const Json& element : *member->array()) {
    require(element.whole() != nullptr && *element.whole() >= 0, "has ", element.kind(), " in '", key,
            "' that is not a whole number of at least 0");
    numbers.push_back(*element.whole());
  }
  return numbers;
}

Place place_of(const Json& entry, std::uint64_t data_bytes) {
  require(entry.object() != nullptr, "is ", entry.kind(), " in the header, wanted an object");
  for (const auto& [key, member] : *entry.object())
    require(key == "dtype" || key == "shape" || key == "data_offsets", "has the unknown key '", key.substr(0, 20), "'");
  const Json* dtype = entry.find("dtype");
  require(dtype != nullptr && dtype->text() != nullptr, "has no string 'dtype'");
  Place place;
  place.type.dtype = dtype_of_name(*dtype->text());
  const auto extents = whole_numbers(entry, "shape");
  require(extents.size() <= max_rank, "has more than ", max_rank, " axes");
  for (const std::int64_t extent : extents) place.type.shape.push_back(extent);
  check_type(place.type);
  const auto offsets = whole_numbers(entry, "data_offsets");
  require(offsets.size() == 2, "has ", offsets.size(), " numbers in 'data_offsets', wanted 2");
  place.begin = static_cast<std::uint64_t>(offsets[0]);
  place.end = static_cast<std::uint64_t>(offsets[1]);
  require(place.begin <= place.end && place.end <= data_bytes, "has the offsets ", place.begin, " to ", place.end,
          " in a file with ", data_bytes, " bytes of elements");
  require(place.end - place.begin == place.type.bytes(), "has ", place.end - place.begin, " bytes of elements, ",
          place.type, " wants ", place.type.bytes());
  return place;
}

class Safetensors final : public TensorFile {
 public:
  explicit Safetensors(const std::filesystem::path& path) : file_(path) {
    read_header();
    check_overlap();
  }

  std::vector<std::string> names() const override {
    std::vector<std::string> names;
    for (const auto& [name, place] : places_) names.push_back(name);
    return names;
  }
  bool contains(std::string_view name) const override { return places_.contains(name); }
  TensorType type(std::string_view name) const override { return place(name).type; }
  Tensor read(std::string_view name) const override {
    const Place& from = place(name);
    Tensor tensor(from.type);
    file_.read(data_ + from.begin, tensor.bytes());
    if (from.type.dtype == DType::boolean)
      for (const std::byte x : tensor.bytes())
        require(x <= std::byte{1}, "tensor '", name, "' has a bool that is neither 0 nor 1");
    return tensor;
  }

 private:
  void read_header() {
    std::array<unsigned char, length_bytes> start{};
    file_.read(0, std::as_writable_bytes(std::span(start)));
    std::uint64_t length = 0;
    for (std::size_t k = 0; k < length_bytes; ++k) length |= std::uint64_t{start[k]} << (8 * k);
    require(length <= file_.size() - length_bytes, "has a header of ", length, " bytes in a file of ", file_.size());
    require(length <= most_safetensors_header, "has a header of ", length, " bytes, at most ", most_safetensors_header,
            " are read");
    data_ = length_bytes + length;
    std::string text(length, '\0');
    file_.read(length_bytes, std::as_writable_bytes(std::span(text)));
    Json header;
    try {
      header = parse_json(text, {.bytes = most_safetensors_header});
    } catch (const Error& error) {
      fail("has a header that is not JSON: ", error.what());
    }
    require(header.object() != nullptr, "has a header that is ", header.kind(), ", wanted an object");
    for (const auto& [name, entry] : *header.object()) {
      if (name == metadata) continue;
      try {
        places_.emplace(name, place_of(entry, file_.size() - data_));
      } catch (const Error& error) {
        fail("tensor '", name, "' ", error.what());
      }
    }
  }

  void check_overlap() const {
    std::vector<const std::pair<const std::string, Place>*> sorted;
    for (const auto& named : places_)
      if (named.second.begin != named.second.end) sorted.push_back(&named);
    std::ranges::sort(sorted, {}, [](const auto* named) { return named->second.begin; });
    for (std::size_t k = 1; k < sorted.size(); ++k)
      require(sorted[k - 1]->second.end <= sorted[k]->second.begin, "tensors '", sorted[k - 1]->first, "' and '",
              sorted[k]->first, "' overlap");
  }

  const Place& place(std::string_view name) const {
    const auto found = places_.find(name);
    require(found != places_.end(), "has no tensor '", name, "'");
    return found->second;
  }

  files::RandomAccessFile file_;
  std::uint64_t data_ = 0;  ///< where the elements begin
  std::map<std::string, Place, std::less<>> places_;
};

}  // namespace

std::unique_ptr<TensorFile> open_safetensors(const std::filesystem::path& path) {
  return std::make_unique<Safetensors>(path);
}

}  // namespace plumb::ir::formats
