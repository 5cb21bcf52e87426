// Lists of cases as TOML: which models, fed with what, and held to what.
#include "parity/cases/lists/case_list.hpp"

#include <algorithm>
#include <array>
#include <functional>

#include "ir/error.hpp"
#include "ir/files/read_file.hpp"
#include "parity/core/did_you_mean.hpp"
#include "parity/core/toml_text.hpp"

namespace plumb::parity::cases {
namespace {

constexpr std::uint64_t most_bytes_of_list = 1 << 24;
constexpr std::string_view schema_of_lists = "plumb-cases/1";

/// A value of the list, and what an error says of where it is.
struct Entry {
  const toml::node& node;
  const std::filesystem::path& file;
  std::string_view key;

  template <class... Parts>
  [[noreturn]] void refuse(const Parts&... parts) const {
    ir::fail(file.string(), ':', node.source().begin.line, ": ", key, ' ', parts..., ", found ", core::kind_of(node));
  }
  std::string text() const {
    const auto found = node.value_exact<std::string>();
    if (!found || found->empty()) refuse("must be a string that is not empty");
    return *found;
  }
  std::vector<std::string> texts() const {
    if (node.is_string()) return {text()};
    if (!node.is_array()) refuse("must be a string or a list of strings");
    std::vector<std::string> all;
    for (const toml::node& one : *node.as_array()) all.push_back(Entry{one, file, key}.text());
    return all;
  }
  std::uint64_t number() const {
    const auto found = node.value_exact<std::int64_t>();
    if (!found || *found < 1) refuse("must be a whole number from 1 on");
    return static_cast<std::uint64_t>(*found);
  }
  /// A path that is relative to the folder of the list.
  std::string path() const {
    const std::filesystem::path named = text();
    return named.is_absolute() ? named.string() : (file.parent_path() / named).lexically_normal().string();
  }
};

struct Key {
  std::string_view name;
  std::function<void(ListedCase&, const Entry&)> take;
};

/// Every key of a case, which defaults have but for the model.
const auto& keys() {
  static const std::array<Key, 14> all = {{
      {"model", [](ListedCase& one, const Entry& said) { one.model = said.path(); }},
      {"shape", [](ListedCase& one, const Entry& said) { one.shapes = said.texts(); }},
      {"input", [](ListedCase& one, const Entry& said) { one.inputs = said.texts(); }},
      {"load_inputs", [](ListedCase& one, const Entry& said) { one.load_inputs = said.path(); }},
      // A folder's bare name is looked for beside each model, as --data has it.
      {"data",
       [](ListedCase& one, const Entry& said) {
         one.data = said.text().find('/') == std::string::npos ? said.text() : said.path();
       }},
      {"expected", [](ListedCase& one, const Entry& said) { one.expected = said.path(); }},
      {"expected_precision", [](ListedCase& one, const Entry& said) { one.expected_precision = said.text(); }},
      {"dtype", [](ListedCase& one, const Entry& said) { one.dtype = said.text(); }},
      // One that is not named f16acc32 and the like is the file of a plan.
      {"precision",
       [](ListedCase& one, const Entry& said) {
         one.precision = said.text().find('.') == std::string::npos ? said.text() : said.path();
       }},
      {"fill", [](ListedCase& one, const Entry& said) { one.fill = said.text(); }},
      {"filter", [](ListedCase& one, const Entry& said) { one.filter = said.text(); }},
      {"seed", [](ListedCase& one, const Entry& said) { one.seed = said.number(); }},
      {"seeds", [](ListedCase& one, const Entry& said) { one.seeds = said.number(); }},
      {"tags", [](ListedCase& one, const Entry& said) { one.tags = said.texts(); }},
  }};
  return all;
}

void take_all(const toml::table& table, const std::filesystem::path& file, bool are_defaults, ListedCase& one) {
  std::vector<std::string> names;
  for (const Key& key : keys())
    if (!are_defaults || key.name != "model") names.emplace_back(key.name);
  for (const auto& [name, value] : table) {
    const auto known = std::ranges::find(names, name.str());
    if (known == names.end())
      ir::fail(file.string(), ':', value.source().begin.line, ": there is no key '", name.str(), "' of ",
               are_defaults ? "defaults" : "a case", core::did_you_mean(name.str(), names));
    std::ranges::find(keys(), name.str(), &Key::name)->take(one, Entry{value, file, name.str()});
  }
}

}  // namespace

std::vector<ListedCase> parse_case_list(std::string_view text, const std::filesystem::path& file) {
  const toml::table list = core::parse_toml(text, file.string());
  const bool is_list = list["schema"].value<std::string>() == schema_of_lists;
  ir::require(is_list, file.string(), ": wanted schema = \"", schema_of_lists, "\"");
  for (const auto& [name, value] : list)
    if (name != "schema" && name != "defaults" && name != "case")
      ir::fail(file.string(), ':', value.source().begin.line, ": wanted schema, [defaults] or [[case]], found '",
               name.str(), "'");
  ListedCase defaults;
  if (const toml::node* const said = list.get("defaults")) {
    if (!said->is_table()) Entry{*said, file, "defaults"}.refuse("must be a table");
    take_all(*said->as_table(), file, true, defaults);
  }
  const toml::node* const cases = list.get("case");
  ir::require(cases != nullptr, file.string(), ": has no [[case]]");
  if (!cases->is_array() || cases->as_array()->empty())
    Entry{*cases, file, "case"}.refuse("must be a list of tables, [[case]]");
  std::vector<ListedCase> all;
  for (const toml::node& said : *cases->as_array()) {
    if (!said.is_table()) Entry{said, file, "case"}.refuse("must be a table");
    ListedCase one = defaults;
    one.line = static_cast<int>(said.source().begin.line);
    take_all(*said.as_table(), file, false, one);
    ir::require(!one.model.empty(), file.string(), ':', one.line, ": this case has no model");
    all.push_back(std::move(one));
  }
  return all;
}

std::vector<ListedCase> read_case_list(const std::filesystem::path& file) {
  return parse_case_list(ir::files::read_named_text(file, most_bytes_of_list), file);
}

}  // namespace plumb::parity::cases
