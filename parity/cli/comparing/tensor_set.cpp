// Opens what has tensors, and reads from dumps in which order their nodes are.
#include "parity/cli/comparing/tensor_set.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "ir/files/file_kind.hpp"
#include "ir/formats/onnx/onnx_file.hpp"
#include "ir/hdf5/store.hpp"
#include "ir/hdf5/vet.hpp"
#include "parity/studies/closeness/names.hpp"

namespace plumb::parity::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view proto_ending = ".pb";

/// The text in which an archive describes itself (ir::formats::about_name); "" where it says nothing.
std::string about_of(const ir::formats::TensorFile& file) {
  if (!file.contains(ir::formats::about_name)) return "";
  const ir::Tensor text = file.read(ir::formats::about_name);
  if (text.dtype() != ir::DType::u8) return "";
  return {reinterpret_cast<const char*>(text.bytes().data()), text.bytes().size()};
}

std::string about_of_hdf5(const fs::path& path) try {
  ir::hdf5::vet(path, ir::hdf5::Extent::attributes_of_root);
  const auto attributes = ir::hdf5::Store::open(path).attributes("/");
  const auto found = attributes.find(std::string(ir::formats::about_name));
  const auto* const text = found == attributes.end() ? nullptr : std::get_if<std::string>(&found->second);
  return text == nullptr ? "" : *text;
} catch (const ir::Error&) {
  return "";  // the reader of its tensors says what is wrong with the file
}

/// The places of tensors' nodes in their graph, of a text of plumb.dump/1.
std::map<std::string, std::int64_t, std::less<>> order_in(const std::string& about) {
  std::map<std::string, std::int64_t, std::less<>> order;
  const auto all = nlohmann::json::parse(about, nullptr, false);
  if (!all.is_object() || all.value("schema", nlohmann::json()) != "plumb.dump/1") return order;
  const auto tensors = all.find("tensors");
  if (tensors == all.end() || !tensors->is_object()) return order;
  for (const auto& [name, one] : tensors->items()) {
    const auto place = one.is_object() ? one.find("order") : one.end();
    if (one.is_object() && place != one.end() && place->is_number_integer()) order[name] = place->get<std::int64_t>();
  }
  return order;
}

}  // namespace

TensorPlace parse_place(const std::string& given) {
  std::error_code none;
  const auto mark = given.rfind('#');
  if (mark == std::string::npos || fs::exists(given, none)) return {.path = given, .prefix = ""};
  const TensorPlace place{.path = given.substr(0, mark), .prefix = given.substr(mark + 1)};
  ir::require(!place.path.empty() && !place.prefix.empty(), "wanted FILE or FILE#PREFIX, got '", given, "'");
  return place;
}

TensorSet::TensorSet(const TensorPlace& place) {
  std::error_code none;
  if (fs::is_directory(place.path, none))
    add_folder(place.path);
  else if (ir::files::has_extension(place.path, proto_ending))
    add_proto(place.path, "");
  else
    add_file(place.path);
  keep_below(place);
  const auto comes_before = [&](const std::string& one, const std::string& other) {
    const auto x = order(one), y = order(other);
    if (x != y) return x.value_or(0) < y.value_or(0);
    return studies::closeness::comes_before(one, other);
  };
  std::ranges::sort(names_, comes_before);
}

void TensorSet::add_file(const fs::path& path) {
  if (ir::files::kind_of_file(path) == ir::files::FileKind::hdf5) order_ = order_in(about_of_hdf5(path));
  file_ = ir::formats::open_tensors(path);
  if (order_.empty()) order_ = order_in(about_of(*file_));
}

void TensorSet::add_proto(const fs::path& path, const std::string& otherwise) {
  ir::formats::NamedTensor read = ir::formats::read_tensor_proto(path);
  const std::string& name = read.name.empty() || protos_.contains(read.name) ? otherwise : read.name;
  protos_.insert_or_assign(name, std::move(read.tensor));
}

void TensorSet::add_folder(const fs::path& folder) {
  constexpr std::size_t most_entries = std::size_t{1} << 16;
  std::vector<fs::path> protos;
  bool has_arrays = false;
  std::error_code problem;
  std::size_t seen = 0;
  for (fs::recursive_directory_iterator entry(folder, problem), end; !problem && entry != end;
       entry.increment(problem)) {
    ir::require(++seen <= most_entries, folder.string(), ": has more than ", most_entries, " entries");
    if (entry->symlink_status().type() != fs::file_type::regular) continue;
    has_arrays |= entry->path().extension() == ".npy";
    if (entry->path().extension() == proto_ending) protos.push_back(entry->path());
  }
  ir::require(!problem, folder.string(), ": ", problem.message());
  if (has_arrays || protos.empty()) file_ = ir::formats::open_tensors(folder);
  std::ranges::sort(protos);
  for (const fs::path& path : protos)
    add_proto(path, path.lexically_relative(folder).replace_extension().generic_string());
}

void TensorSet::keep_below(const TensorPlace& place) {
  std::vector<std::string> all = file_ ? file_->names() : std::vector<std::string>();
  for (const auto& [name, tensor] : protos_) all.push_back(name);
  for (const std::string& prefix : {place.prefix + '/', place.prefix}) {
    if (place.prefix.empty() && !prefix.empty()) continue;
    for (const std::string& name : all)
      if (name.starts_with(prefix)) stored_.emplace(name.substr(prefix.size()), name);
    if (!stored_.empty()) break;
  }
  ir::require(!stored_.empty(), place.path, ": no tensor",
              place.prefix.empty() ? "" : " has a name below '" + place.prefix + "'");
  for (const auto& [name, stored] : stored_) names_.push_back(name);
}

ir::TensorType TensorSet::type(const std::string& name) const {
  const std::string& stored = stored_.at(name);
  const auto proto = protos_.find(stored);
  return proto != protos_.end() ? proto->second.type() : file_->type(stored);
}

ir::Tensor TensorSet::read(const std::string& name) const {
  const std::string& stored = stored_.at(name);
  const auto proto = protos_.find(stored);
  return proto != protos_.end() ? proto->second : file_->read(stored);
}

std::optional<std::int64_t> TensorSet::order(const std::string& name) const {
  const auto found = order_.find(stored_.at(name));
  if (found == order_.end()) return std::nullopt;
  return found->second;
}

}  // namespace plumb::parity::cli
