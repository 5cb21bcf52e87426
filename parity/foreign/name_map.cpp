// Reads maps of names from TOML; every refusal names file, line and what was wanted.
#include "parity/foreign/name_map.hpp"

#include <algorithm>

#include "ir/files/read_file.hpp"
#include "ir/shape.hpp"
#include "parity/core/did_you_mean.hpp"
#include "parity/core/toml_text.hpp"

namespace plumb::parity::foreign {
namespace {

constexpr std::uint64_t most_bytes = 1 << 20;
constexpr std::size_t most_rules = 4096;

/// Reads the tables of one map; every refusal says where.
class MapReader {
 public:
  explicit MapReader(NameMap& map) : map_(map) {}

  void all(const toml::table& file) {
    const toml::node* const schema = file.get("schema");
    if (schema == nullptr) refuse(file, "wanted schema = \"plumb-map/1\" at the top");
    if (const std::string found = string(*schema, "schema"); found != "plumb-map/1")
      refuse(*schema, "schema: wanted plumb-map/1, found '", found, "'");
    if (file.size() > most_rules) refuse(file, "wanted at most ", most_rules, " rules, found ", file.size());
    for (const auto& [key, value] : file)
      if (key.str() != "schema") map_.rules.push_back(rule(std::string(key.str()), value));
    if (map_.rules.empty()) refuse(file, "has no rule; wanted \"ours\" = \"theirs\"");
    std::ranges::stable_sort(map_.rules, {}, &MapRule::line);
  }

 private:
  template <class... Parts>
  [[noreturn]] void refuse(const toml::node& at, const Parts&... parts) const {
    ir::fail(map_.file, ':', at.source().begin.line, ": ", ir::cat(parts...));
  }

  std::string string(const toml::node& node, std::string_view where) const {
    if (!node.is_string()) refuse(node, where, ": wanted a string, found ", core::kind_of(node));
    std::string found = **node.as_string();
    if (found.empty()) refuse(node, where, ": wanted a name, found an empty string");
    return found;
  }

  MapRule rule(const std::string& ours, const toml::node& node) const {
    if (ours.empty()) refuse(node, "wanted a name of the graph before '=', found an empty one");
    MapRule made{.ours = ours, .theirs = {}};
    made.line = node.source().begin.line;
    if (!node.is_table()) {
      made.theirs = string(node, ours);
    } else {
      const toml::table& parts = *node.as_table();
      for (const auto& [key, value] : parts)
        if (key.str() != "from" && key.str() != "transpose")
          refuse(value, ours, ": wanted from and transpose, found '", key.str(), "'",
                 core::did_you_mean(key.str(), {"from", "transpose"}), "; a name with dots stands in quotes");
      const toml::node *const from = parts.get("from"), *const transpose = parts.get("transpose");
      if (from == nullptr) refuse(node, ours, ": wanted from = \"theirs\"");
      made.theirs = string(*from, ours + ".from");
      if (transpose != nullptr) made.transpose = axes(*transpose, ours + ".transpose");
    }
    const auto stars = std::ranges::count(made.ours, '*'), others = std::ranges::count(made.theirs, '*');
    if (stars > 1 || others > 1 || stars != others)
      refuse(node, ours, ": wanted one '*' on both sides or on neither, found ", stars, " and ", others, " in '",
             made.theirs, "'");
    return made;
  }

  /// A permutation of 0 to n - 1.
  std::vector<std::int64_t> axes(const toml::node& node, const std::string& where) const {
    if (!node.is_array()) refuse(node, where, ": wanted a list of axes, found ", core::kind_of(node));
    const toml::array& array = *node.as_array();
    const auto rank = static_cast<std::int64_t>(array.size());
    if (rank == 0 || rank > ir::max_rank) refuse(node, where, ": wanted 1 to ", ir::max_rank, " axes, found ", rank);
    std::vector<std::int64_t> made;
    for (const toml::node& one : array) {
      const std::int64_t axis = one.is_integer() ? **one.as_integer() : -1;
      if (axis < 0 || axis >= rank || std::ranges::find(made, axis) != made.end())
        refuse(node, where, ": wanted each of 0 to ", rank - 1, " once");
      made.push_back(axis);
    }
    return made;
  }

  NameMap& map_;
};

}  // namespace

std::optional<std::string> MapRule::theirs_of(std::string_view name) const {
  const auto star = ours.find('*');
  if (star == std::string::npos) return name == ours ? std::optional(theirs) : std::nullopt;
  const std::string_view before = std::string_view(ours).substr(0, star);
  const std::string_view behind = std::string_view(ours).substr(star + 1);
  if (name.size() < before.size() + behind.size() || !name.starts_with(before) || !name.ends_with(behind))
    return std::nullopt;
  std::string made = theirs;
  const std::string_view matched = name.substr(before.size(), name.size() - before.size() - behind.size());
  return made.replace(theirs.find('*'), 1, matched);
}

NameMap parse_map(std::string_view text, std::string file) {
  NameMap map{std::move(file), {}};
  ir::require(text.size() <= most_bytes, map.file, ": a map has at most ", most_bytes, " bytes");
  MapReader(map).all(core::parse_toml(text, map.file));
  return map;
}

NameMap read_map(const std::filesystem::path& path) {
  return parse_map(ir::files::read_named_text(path, most_bytes), path.string());
}

}  // namespace plumb::parity::foreign
