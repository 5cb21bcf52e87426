// Reads lists of attacks.
#include "parity/check/attack_list.hpp"

#include <algorithm>
#include <set>

#include "ir/error.hpp"
#include "ir/files/process.hpp"
#include "ir/files/read_file.hpp"
#include "ir/formats/regular_expression.hpp"
#include "parity/core/did_you_mean.hpp"
#include "parity/core/toml_text.hpp"

namespace plumb::parity::check {
namespace {

constexpr std::uint64_t most_bytes = 1 << 22;
constexpr std::string_view schema = "plumb-attacks/1", here = "{here}";

/// A table of the list, and where it is.
struct Said {
  const toml::table& table;
  const std::string& file;

  std::string where() const { return ir::cat(file, ':', table.source().begin.line, ": "); }

  std::string text(std::string_view key, bool is_needed = true) const {
    const toml::node* const node = table.get(key);
    if (node == nullptr && !is_needed) return "";
    ir::require(node != nullptr, where(), "has no ", key);
    const auto found = node->value_exact<std::string>();
    ir::require(found && !found->empty(), where(), key, " must be a string that is not empty, found ",
                core::kind_of(*node));
    return *found;
  }

  int exit() const {
    const toml::node* const node = table.get("exit");
    if (node == nullptr) return 1;
    const auto found = node->value_exact<std::int64_t>();
    const bool is_refusal = found && (*found == 1 || *found == 3 || *found == 4);
    ir::require(is_refusal, where(), "exit is that of a cheat which is refused: 1, 3 or 4");
    return static_cast<int>(*found);
  }

  void require_known(const std::vector<std::string>& keys) const {
    for (const auto& [name, value] : table)
      ir::require(std::ranges::count(keys, name.str()) > 0, where(), "there is no key '", name.str(), "'",
                  core::did_you_mean(name.str(), keys));
  }
};

std::string text_of(const std::filesystem::path& path) {
  try {
    return ir::files::read_text(path, most_bytes);
  } catch (const ir::Error& error) {
    ir::fail(path.string(), ": ", error.what());
  }
}

std::vector<std::string> words_of(std::string run, const std::filesystem::path& folder, const Said& said) {
  std::vector<std::string> words;
  try {
    words = ir::files::split_words(run);
  } catch (const ir::Error& error) {
    ir::fail(said.where(), "run: ", error.what());
  }
  const bool judges = !words.empty() && (words[0] == "check" || words[0] == "verify");
  ir::require(judges, said.where(), "run begins with check or verify");
  for (std::string& word : words)
    for (std::size_t at = word.find(here); at != word.npos; at = word.find(here))
      word.replace(at, here.size(), folder.string());
  return words;
}

Attack attack_of(const Said& said, bool is_control, const std::filesystem::path& folder) {
  if (is_control)
    said.require_known({"name", "family", "run"});
  else
    said.require_known({"name", "family", "run", "reason", "exit"});
  Attack made{.name = said.text("name"), .family = said.text("family"), .words = {}, .is_control = is_control};
  made.words = words_of(said.text("run"), folder, said);
  if (is_control) {
    made.exit = 0;
    return made;
  }
  made.exit = said.exit();
  made.reason = said.text("reason");
  ir::formats::RegularExpression(made.reason, said.where() + "reason");
  return made;
}

}  // namespace

std::vector<Attack> read_attacks(const std::filesystem::path& path) {
  const std::string file = path.string();
  const toml::table all = core::parse_toml(text_of(path), file);
  const Said top{all, file};
  top.require_known({"schema", "attack", "control"});
  ir::require(top.text("schema") == schema, file, ": schema is not ", schema);
  const std::filesystem::path folder = std::filesystem::absolute(path).parent_path();
  std::vector<Attack> attacks;
  std::set<std::string> names;
  for (const std::string_view kind : {"attack", "control"}) {
    const toml::node* const node = all.get(kind);
    if (node == nullptr) continue;
    ir::require(node->is_array_of_tables(), file, ": ", kind, " is an array of tables, [[", kind, "]]");
    for (const toml::node& one : *node->as_array()) {
      const Said said{*one.as_table(), file};
      attacks.push_back(attack_of(said, kind == "control", folder));
      ir::require(names.insert(attacks.back().name).second, said.where(), "'", attacks.back().name, "' is there twice");
    }
  }
  ir::require(!attacks.empty(), file, ": lists no attack");
  return attacks;
}

}  // namespace plumb::parity::check
