// Reads lists of cases in TOML: a key of a case is a flag of verify, with _ for -.
#include "parity/cases/listed/case_list.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <sstream>

#include "ir/error.hpp"
#include "ir/files/read_file.hpp"
#include "ir/formats/node_text.hpp"
#include "parity/core/did_you_mean.hpp"
#include "parity/core/toml_text.hpp"

namespace plumb::parity::cases {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t most_list_bytes = 1 << 24;
constexpr std::string_view list_schema = "plumb-cases/1";

/// The kind of file that a text of a key names.
enum class Names {
  no_file,
  file,
  folder_or_bare,  ///< a folder; without a slash it is looked for beside each model, as --data has it
  plan_or_word,    ///< one that is not named f16acc32 and the like is the file of a plan
};

struct Key {
  std::string_view name;
  Names names = Names::no_file;
};

/// Those of a case that are flags.
constexpr std::array keys = {
    Key{"shape"},
    Key{"input"},
    Key{"load_inputs", Names::file},
    Key{"data", Names::folder_or_bare},
    Key{"expected", Names::file},
    Key{"expected_precision"},
    Key{"rtol"},
    Key{"atol"},
    Key{"dtype"},
    Key{"precision", Names::plan_or_word},
    Key{"policy", Names::file},
    Key{"fill"},
    Key{"seed"},
    Key{"seeds"},
    Key{"param_seed"},
};

/// The value of a key, and what an error says of where it is.
struct Entry {
  const toml::node& value;
  const fs::path& file;
  std::string_view key;

  std::string where() const { return ir::cat(file.string(), ':', value.source().begin.line, ": "); }

  std::string text() const {
    const auto found = value.value_exact<std::string>();
    ir::require(found && !found->empty(), where(), key, " must be a string that is not empty, found ",
                core::kind_of(value));
    return *found;
  }
  std::string tag() const try {
    std::string name = text();
    ir::formats::check_tag(name);
    return name;
  } catch (const ir::Error& problem) {
    if (std::string_view(problem.what()).starts_with(where())) throw;
    ir::fail(where(), "tags: ", problem.what());
  }
  /// A string, or a number as it stands in a command line.
  std::string word() const {
    if (!value.is_integer() && !value.is_floating_point()) return text();
    std::ostringstream number;
    value.visit([&](const auto& node) {
      if constexpr (toml::is_number<decltype(node)>) number << node.get();
    });
    return number.str();
  }
  template <class Take>
  auto all_of(const Take& take) const {
    std::vector<std::string> all;
    if (!value.is_array()) return all.push_back(take(*this)), all;
    for (const toml::node& one : *value.as_array()) all.push_back(take(Entry{one, file, key}));
    return all;
  }
};

/// A path from the folder of the list.
std::string from_folder_of(const fs::path& list, const fs::path& named) {
  return named.is_absolute() ? named.string() : (list.parent_path() / named).lexically_normal().string();
}

std::string value_of(Names names, const Entry& said) {
  const std::string word = said.word();
  const bool is_bare = word.find('/') == word.npos;
  const bool is_path = names == Names::file || (names == Names::folder_or_bare && !is_bare) ||
                       (names == Names::plan_or_word && (!is_bare || word.find('.') != word.npos));
  return is_path ? from_folder_of(said.file, word) : word;
}

/// The keys of a table, which replace those of the same names.
using Said = std::map<std::string, const toml::node*, std::less<>>;

void take_all(const toml::table& table, const fs::path& file, bool are_defaults, Said& all) {
  std::vector<std::string> names = {"tags"};
  if (!are_defaults) names.emplace_back("model");
  for (const Key& key : keys) names.emplace_back(key.name);
  for (const auto& [name, value] : table) {
    if (!std::ranges::count(names, name.str()))
      ir::fail(Entry{value, file, name.str()}.where(), "there is no key '", name.str(), "' of ",
               are_defaults ? "defaults" : "a case", core::did_you_mean(name.str(), names));
    all.insert_or_assign(std::string(name.str()), &value);
  }
}

std::string flag_named(std::string_view key) {
  std::string flag = ir::cat("--", key);
  std::ranges::replace(flag, '_', '-');
  return flag;
}

ListedCase case_of(const Said& said, const fs::path& file, std::string where) {
  ListedCase one{.where = std::move(where)};
  const auto entry_of = [&](std::string_view key) {
    const auto found = said.find(key);
    return found == said.end() ? std::nullopt : std::optional(Entry{*found->second, file, found->first});
  };
  const auto model = entry_of("model");
  ir::require(model.has_value(), one.where, ": this case has no model");
  one.model = from_folder_of(file, model->text());
  if (const auto tags = entry_of("tags")) one.tags = tags->all_of([](const Entry& tag) { return tag.tag(); });
  for (const Key& key : keys)
    if (const auto found = entry_of(key.name))
      for (const std::string& value : found->all_of([&](const Entry& each) { return value_of(key.names, each); }))
        one.flags.push_back(flag_named(key.name) + '=' + value);
  return one;
}

const toml::table& table_in(const toml::node& node, const fs::path& file, std::string_view key) {
  const Entry said{node, file, key};
  ir::require(node.is_table(), said.where(), key, " must be a table, found ", core::kind_of(node));
  return *node.as_table();
}

}  // namespace

std::vector<ListedCase> read_case_list(const fs::path& file) {
  const toml::table list = core::parse_toml(ir::files::read_named_text(file, most_list_bytes), file.string());
  ir::require(list["schema"].value<std::string>() == list_schema, file.string(), ": wanted schema = \"", list_schema,
              "\", as a list of cases has it (docs/cases.md)");
  for (const auto& [name, value] : list)
    ir::require(name == "schema" || name == "defaults" || name == "case", Entry{value, file, name.str()}.where(),
                "wanted schema, [defaults] or [[case]], found '", name.str(), "'");
  Said defaults;
  if (const toml::node* const said = list.get("defaults"))
    take_all(table_in(*said, file, "defaults"), file, true, defaults);
  const toml::node* const cases = list.get("case");
  ir::require(cases != nullptr, file.string(), ": has no [[case]]");
  ir::require(cases->is_array() && !cases->as_array()->empty(), Entry{*cases, file, "case"}.where(),
              "case must be a list of tables, [[case]], found ", core::kind_of(*cases));
  std::vector<ListedCase> all;
  for (const toml::node& one : *cases->as_array()) {
    Said said = defaults;
    take_all(table_in(one, file, "case"), file, false, said);
    all.push_back(case_of(said, file, ir::cat(file.string(), ':', one.source().begin.line)));
  }
  return all;
}

}  // namespace plumb::parity::cases
