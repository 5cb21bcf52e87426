// Finds the other files of a model that was split, and checks that they are those that the first one means.
#include "ir/formats/gguf/architectures/parts.hpp"

namespace plumb::ir::formats::gguf::architectures {
namespace {

constexpr std::int64_t most_parts = 99999;  // names have five digits

/// A number in five digits, as names of parts have it.
std::string five_digits(std::int64_t number) {
  const std::string digits = cat(number);
  return std::string(digits.size() < 5 ? 5 - digits.size() : 0, '0') + digits;
}

/// A number that says how a model was split; `otherwise` where the file has none.
std::int64_t split_number(const Gguf& file, std::string_view key, std::int64_t otherwise) {
  const Metadata* const found = file.find(key);
  if (found == nullptr) return otherwise;
  const auto number = found->number();
  require(number && *number >= 0, "byte ", found->offset, ": metadata '", key, "' is ", found->shown(),
          ", wanted a whole number");
  return *number;
}

}  // namespace

Parts::Parts(const std::filesystem::path& path) {
  open(path);
  folder_ = std::filesystem::canonical(path).parent_path();
  const std::int64_t count = split_number(first(), "split.count", 1);
  if (count > 1) open_others(path, count);
  list_tensors();
  const auto tensors = static_cast<std::int64_t>(tensors_.size());
  const std::int64_t wanted = split_number(first(), "split.tensors.count", tensors);
  require(count <= 1 || wanted == tensors, "split.tensors.count is ", wanted, ", and the parts have ", tensors,
          " tensors");
}

void Parts::open(const std::filesystem::path& path) {
  // Links lead to the file itself, whose folder then has it.
  parts_.push_back({.file = Gguf::open(path), .name = std::filesystem::canonical(path).filename().string()});
}

void Parts::open_others(const std::filesystem::path& path, std::int64_t count) {
  require(count <= most_parts, "split.count is ", count, ", at most ", most_parts, " parts are read");
  const std::int64_t own = split_number(first(), "split.no", 0);
  require(own == 0, "is part ", own + 1, " of ", count, "; the model is read by the first");
  const std::string name = path.filename().string(), end = "-00001-of-" + five_digits(count) + ".gguf";
  require(name.ends_with(end), "is the first of ", count, " parts, and is not called *", end);
  const std::string stem = name.substr(0, name.size() - end.size());
  for (std::int64_t k = 1; k < count; ++k) {
    const std::string other = stem + '-' + five_digits(k + 1) + "-of-" + five_digits(count) + ".gguf";
    const auto file = path.parent_path() / other;
    try {
      open(file);
      const Gguf& part = parts_.back().file;
      const std::int64_t number = split_number(part, "split.no", 0), said = split_number(part, "split.count", 1);
      require(number == k && said == count, "is part ", number + 1, " of ", said, ", wanted part ", k + 1, " of ",
              count);
      require(std::filesystem::canonical(file).parent_path() == folder_, "leads out of the folder of the first part");
    } catch (const Error& error) {
      fail("part '", other, "' ", error.what());
    }
  }
}

void Parts::list_tensors() {
  for (const Part& part : parts_)
    for (const TensorInfo& tensor : part.file.tensors()) {
      require(names_.emplace(tensor.name, tensors_.size()).second, "tensor '", tensor.name, "' is in two parts");
      tensors_.push_back({&part, tensor});
    }
}

const Parts::Tensor* Parts::find(std::string_view name) const {
  const auto found = names_.find(name);
  return found == names_.end() ? nullptr : &tensors_[found->second];
}

}  // namespace plumb::ir::formats::gguf::architectures
