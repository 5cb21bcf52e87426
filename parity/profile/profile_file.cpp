// Reads device profiles from TOML; every refusal says file, line, what was wanted and what was found.
#include "parity/profile/profile_file.hpp"

#include <cmath>
#include <set>

#include "ir/files/read_file.hpp"
#include "ir/formats/sums_json.hpp"
#include "ir/formats/tensor_json.hpp"
#include "ir/ops/unary.hpp"
#include "parity/core/toml_text.hpp"

namespace plumb::parity::profile {
namespace {

constexpr std::uint64_t most_bytes = 1 << 20;
constexpr std::size_t most_entries = 4096;
constexpr std::int64_t most_terms = 1 << 20;

/// Reads the tables of one file; every refusal says where.
class Reader {
 public:
  explicit Reader(const std::string& file) : file_(file) {}
  DeviceProfile all(const toml::table& file) const;

 private:
  /// One table and what it is called in messages.
  struct Place {
    const toml::table& table;
    std::string name;
  };

  template <class... Parts>
  [[noreturn]] void refuse(const toml::node& at, const Parts&... parts) const {
    ir::fail(file_, ':', at.source().begin.line, ": ", ir::cat(parts...));
  }

  void only(const Place& at, const std::vector<std::string_view>& known) const;
  const toml::node& get(const Place& at, std::string_view key) const;
  std::string string(const Place& at, std::string_view key) const;
  std::int64_t integer(const Place& at, std::string_view key, std::int64_t most) const;
  double number(const Place& at, std::string_view key) const;
  ir::DType dtype(const Place& at, std::string_view key) const;
  template <class E>
  E choice(const Place& at, std::string_view key) const;
  std::vector<Place> list(const toml::table& file, const std::string& name) const;

  void device(const Place& at, DeviceProfile& profile) const;
  Products product(const Place& at) const;
  FunctionError function(const Place& at) const;
  MeasuredSum sum(const Place& at) const;
  void refuse_twins(const toml::table& file, const DeviceProfile& profile) const;

  const std::string& file_;
};

void Reader::only(const Place& at, const std::vector<std::string_view>& known) const {
  for (const auto& [key, value] : at.table)
    if (std::find(known.begin(), known.end(), key.str()) == known.end()) {
      std::string words;
      for (const std::string_view word : known) words += (words.empty() ? "" : ", ") + std::string(word);
      refuse(value, at.name, ": wanted one of ", words, ", found '", key.str(), "'");
    }
}

const toml::node& Reader::get(const Place& at, std::string_view key) const {
  const toml::node* node = at.table.get(key);
  if (node == nullptr) refuse(at.table, at.name, ": wanted ", key);
  return *node;
}

std::string Reader::string(const Place& at, std::string_view key) const {
  const toml::node& node = get(at, key);
  if (!node.is_string()) refuse(node, at.name, ".", key, ": wanted a string, found ", core::kind_of(node));
  return **node.as_string();
}

std::int64_t Reader::integer(const Place& at, std::string_view key, std::int64_t most) const {
  const toml::node& node = get(at, key);
  if (!node.is_integer() || **node.as_integer() < 0 || **node.as_integer() > most)
    refuse(node, at.name, ".", key, ": wanted an integer from 0 to ", most);
  return **node.as_integer();
}

double Reader::number(const Place& at, std::string_view key) const {
  const toml::node& node = get(at, key);
  if (!node.is_number() || std::isnan(*node.value<double>())) refuse(node, at.name, ".", key, ": wanted a number");
  return *node.value<double>();
}

ir::DType Reader::dtype(const Place& at, std::string_view key) const {
  const std::string name = string(at, key);
  const auto found = ir::find_dtype(name);
  if (!found || !ir::is_float(*found))
    refuse(get(at, key), at.name, ".", key, ": wanted f16, bf16, f32 or f64, found '", name, "'");
  return *found;
}

template <class E>
E Reader::choice(const Place& at, std::string_view key) const {
  const std::string found = string(at, key);
  if (const auto value = ir::enum_value<E>(found)) return *value;
  std::string words;
  for (const auto name : enum_names(E{})) words += (words.empty() ? "" : ", ") + std::string(name);
  refuse(get(at, key), at.name, ".", key, ": wanted one of ", words, ", found '", found, "'");
}

std::vector<Reader::Place> Reader::list(const toml::table& file, const std::string& name) const {
  const toml::node* node = file.get(name);
  if (node == nullptr) return {};
  if (!node->is_array_of_tables()) refuse(*node, name, ": wanted [[", name, "]]");
  const toml::array& array = *node->as_array();
  if (array.size() > most_entries) refuse(*node, name, ": wanted at most ", most_entries, ", found ", array.size());
  std::vector<Place> places;
  for (std::size_t i = 0; i < array.size(); ++i)
    places.push_back({*array[i].as_table(), ir::cat("[[", name, "]] ", i + 1)});
  return places;
}

void Reader::device(const Place& at, DeviceProfile& profile) const {
  only(at, {"name", "driver", "uuid"});
  profile.name = string(at, "name");
  profile.driver = string(at, "driver");
  profile.uuid = string(at, "uuid");
}

Products Reader::product(const Place& at) const {
  only(at, {"unit", "operands", "accumulator", "operand_bits", "exact_products", "accumulator_bits", "extra_bits",
            "normalized", "rounding", "block", "group", "subnormals"});
  Products p{.unit = choice<ir::SumUnit>(at, "unit"),
             .operands = dtype(at, "operands"),
             .accumulator = dtype(at, "accumulator")};
  const auto small = [&](std::string_view key, std::int64_t most) { return static_cast<int>(integer(at, key, most)); };
  p.operand_bits = small("operand_bits", 53);
  p.exact_products = choice<Known>(at, "exact_products");
  p.accumulator_bits = small("accumulator_bits", 53);
  if (at.table.contains("extra_bits")) p.extra_bits = small("extra_bits", Products::every_bit);
  p.normalized = choice<Known>(at, "normalized");
  p.rounding = choice<Rounding>(at, "rounding");
  p.block = small("block", most_terms);
  p.group = small("group", most_terms);
  p.subnormals = choice<Subnormals>(at, "subnormals");
  return p;
}

FunctionError Reader::function(const Place& at) const {
  only(at, {"name", "dtype", "max_ulp", "at", "samples", "exhaustive"});
  FunctionError f{.function = string(at, "name"), .dtype = dtype(at, "dtype")};
  if (!ir::enum_value<ir::ops::UnaryFunction>(f.function))
    refuse(get(at, "name"), at.name, ".name: '", f.function, "' is no function of unary");
  f.max_ulp = number(at, "max_ulp");
  if (f.max_ulp < 0) refuse(get(at, "max_ulp"), at.name, ".max_ulp: wanted a number >= 0");
  f.at = number(at, "at");
  f.samples = integer(at, "samples", std::int64_t{1} << 40);
  const toml::node& exhaustive = get(at, "exhaustive");
  if (!exhaustive.is_boolean()) refuse(exhaustive, at.name, ".exhaustive: wanted true or false");
  f.exhaustive = **exhaustive.as_boolean();
  return f;
}

MeasuredSum Reader::sum(const Place& at) const {
  only(at, {"op", "operands", "kernel", "sums"});
  MeasuredSum measured{.op = string(at, "op")};
  const auto told = [&](std::string_view key, const auto& act) {
    try {
      act();
    } catch (const ir::Error& error) {
      refuse(get(at, key), at.name, ".", key, ": ", error.what());
    }
  };
  const toml::array* const operands = get(at, "operands").as_array();
  if (operands == nullptr) refuse(get(at, "operands"), at.name, ".operands: wanted an array of types");
  told("operands", [&] {
    ir::require(operands->size() <= 3, "wanted at most 3 types, found ", operands->size());
    for (const toml::node& one : *operands) {
      ir::require(one.is_string(), "wanted a type, as \"f32[2, 3]\", found ", core::kind_of(one));
      measured.operands.push_back(ir::formats::parse_type(**one.as_string()));
    }
  });
  if (at.table.contains("kernel")) measured.kernel = string(at, "kernel");
  told("sums", [&] {
    const std::vector<ir::Sum> sums = ir::formats::parse_sums(string(at, "sums"));
    ir::require(sums.size() == 1, "wanted one sum, found ", sums.size());
    ir::formats::require_modest(sums[0]);
    measured.sum = sums[0];
  });
  return measured;
}

/// Refuses two entries of one name: a lookup by name must have one answer.
void Reader::refuse_twins(const toml::table& file, const DeviceProfile& profile) const {
  std::set<std::string> seen;
  const auto once = [&](const auto&... parts) {
    const std::string name = ir::cat(parts...);
    if (!seen.insert(name).second) refuse(file, name, " is described twice");
  };
  for (const Products& p : profile.products)
    once("product of ", p.operands, " by ", ir::enum_name(p.unit), " in ", p.accumulator);
  for (const SubnormalHandling& s : profile.subnormals) once("subnormals of ", s.dtype);
  for (const FmaHandling& f : profile.fma) once("fma of ", f.dtype);
  for (const MeasuredSum& s : profile.sums) {
    std::string operands;
    for (const ir::TensorType& type : s.operands) operands += ir::cat(' ', type);
    once("sum of ", s.op, " of", operands, s.kernel.empty() ? "" : " by ", s.kernel);
  }
  for (const FunctionError& f : profile.functions) once("function ", f.function, " of ", f.dtype);
}

DeviceProfile Reader::all(const toml::table& file) const {
  const Place top{file, "profile"};
  const std::string_view wanted = "plumb-profile/3", before = "plumb-profile/2", by_kernel = "plumb-profile/1";
  if (string(top, "schema") == by_kernel)
    refuse(get(top, "schema"),
           "schema: this profile is of an earlier plumb, which knew units by the names of kernels; "
           "run plumb probe again");
  const bool is_earlier = string(top, "schema") == before;  // which had no [[sum]]
  if (!is_earlier && string(top, "schema") != wanted) refuse(get(top, "schema"), "schema: wanted \"", wanted, '"');
  std::vector<std::string_view> known = {"schema", "sha256", "device", "product", "subnormals", "fma", "function"};
  if (!is_earlier) known.emplace_back("sum");
  only(top, known);
  DeviceProfile profile;
  const toml::node& device_node = get(top, "device");
  if (!device_node.is_table()) refuse(device_node, "device: wanted [device]");
  device({*device_node.as_table(), "[device]"}, profile);
  for (const Place& at : list(file, "product")) profile.products.push_back(product(at));
  for (const Place& at : list(file, "subnormals")) {
    only(at, {"dtype", "in", "out"});
    profile.subnormals.push_back({dtype(at, "dtype"), choice<Subnormals>(at, "in"), choice<Subnormals>(at, "out")});
  }
  for (const Place& at : list(file, "fma")) {
    only(at, {"dtype", "kind"});
    profile.fma.push_back({dtype(at, "dtype"), choice<FmaKind>(at, "kind")});
  }
  for (const Place& at : list(file, "function")) profile.functions.push_back(function(at));
  for (const Place& at : list(file, "sum")) profile.sums.push_back(sum(at));
  refuse_twins(file, profile);
  if (const std::string stated = string(top, "sha256"); stated != profile.sha256())
    refuse(get(top, "sha256"), "sha256: the content was changed: it has ", profile.sha256());
  return profile;
}

}  // namespace

DeviceProfile parse_profile(std::string_view text, const std::string& file) {
  ir::require(text.size() <= most_bytes, file, ": a profile has at most ", most_bytes, " bytes");
  return Reader(file).all(core::parse_toml(text, file));
}

DeviceProfile read_profile(const std::filesystem::path& path) {
  return parse_profile(ir::files::read_named_text(path, most_bytes), path.string());
}

}  // namespace plumb::parity::profile
