// Reads specs of candidates, and refuses libraries that anybody may replace.
#include "parity/foreign/spec.hpp"

#include <algorithm>
#include <system_error>

#include "ir/attribute.hpp"
#include "parity/core/did_you_mean.hpp"

namespace plumb::parity::foreign {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_name = 32;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_name(std::string_view text) {
  const auto may = [](char c) { return (is_letter(c) && c >= 'a') || is_digit(c) || c == '_' || c == '-'; };
  return !text.empty() && text.size() <= longest_name && std::ranges::all_of(text, may);
}

/// Whether a program's text can call something so: letters, digits, '_' and '.', and no digit first.
bool is_identifier(std::string_view text) {
  const auto may = [](char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '.'; };
  return !text.empty() && !is_digit(text.front()) && text.front() != '.' && std::ranges::all_of(text, may);
}

/// Reads what follows the kind.
class SpecReader {
 public:
  SpecReader(Spec& spec, std::string_view given) : spec_(spec), given_(given) {}

  void read(bool has_text) {
    const bool is_ours = spec_.kind == Kind::vulkan || spec_.kind == Kind::cpu;
    want(has_text ? spec_.kind != Kind::cpu && !spec_.text.empty() : is_ours);
    if (spec_.kind == Kind::vulkan || spec_.kind == Kind::exec) spec_.arguments = spec_.text;
    if (spec_.kind == Kind::file) file();
    if (spec_.kind == Kind::py || spec_.kind == Kind::tvmffi) function();
    if (spec_.kind == Kind::plugin) plugin();
    if (spec_.kind == Kind::onnxruntime) onnxruntime();
  }

 private:
  std::string_view form() const {
    static constexpr std::array<std::string_view, 8> forms = {
        "vulkan[:DEVICE]",        "cpu",
        "file:PATH[#PREFIX]",     "exec:COMMAND",
        "py:FILE.py::FUNCTION",   "tvmffi:./LIB.so::SYMBOL",
        "plugin:./LIB.so[:ARGS]", "onnxruntime:./LIB[,KEY=VALUE]..."};
    return forms[static_cast<std::size_t>(spec_.kind)];
  }
  template <class... Why>
  void want(bool holds, const Why&... why) const {
    ir::require(holds, "--candidate wants ", form(), ", got '", given_, "'", why...);
  }

  void file() {
    const auto mark = spec_.text.rfind('#');
    spec_.path = spec_.text.substr(0, mark);
    if (mark != std::string::npos) spec_.prefix = spec_.text.substr(mark + 1);
    want(!spec_.path.empty() && (mark == std::string::npos || !spec_.prefix.empty()));
  }
  void function() {
    const auto mark = spec_.text.rfind("::");
    want(mark != std::string::npos && mark != 0);
    spec_.path = spec_.text.substr(0, mark);
    spec_.function = spec_.text.substr(mark + 2);
    want(is_identifier(spec_.function), ": '", spec_.function, "' is no name of a function");
    if (spec_.kind == Kind::tvmffi) return require_trusted_library(spec_.path);
    want(spec_.path.ends_with(".py"), ": '", spec_.path, "' is not called .py");
    std::error_code ignored;
    ir::require(fs::is_regular_file(spec_.path, ignored), spec_.path, ": is no regular file");
  }
  void plugin() {
    const auto mark = spec_.text.find(':');
    spec_.path = spec_.text.substr(0, mark);
    if (mark != std::string::npos) spec_.arguments = spec_.text.substr(mark + 1);
    want(!spec_.path.empty());
    require_trusted_library(spec_.path);
  }
  void onnxruntime() {
    const auto comma = spec_.text.find(',');
    spec_.path = spec_.text.substr(0, comma);
    want(!spec_.path.empty());
    for (auto at = comma; at != std::string::npos;) {
      const auto end = spec_.text.find(',', at + 1);
      const std::string pair = spec_.text.substr(at + 1, end == std::string::npos ? end : end - at - 1);
      const auto equals = pair.find('=');
      want(equals != std::string::npos && equals != 0, ": '", pair, "' is no KEY=VALUE");
      const std::string key = pair.substr(0, equals);
      const bool is_new = std::ranges::none_of(spec_.options, [&](const auto& one) { return one.first == key; });
      want(is_new, ": '", key, "' is given twice");
      spec_.options.emplace_back(key, pair.substr(equals + 1));
      at = end;
    }
    require_trusted_library(spec_.path);
  }

  Spec& spec_;
  std::string_view given_;
};

void require_safe_folder(const fs::path& library, const fs::path& folder) {
  std::error_code failed;
  const auto permissions = fs::status(folder, failed).permissions();
  ir::require(!failed, library.string(), ": its folder '", folder.string(), "' cannot be read: ", failed.message());
  const bool is_open = (permissions & fs::perms::others_write) != fs::perms::none;
  const bool is_sticky = (permissions & fs::perms::sticky_bit) != fs::perms::none;
  ir::require(!is_open || is_sticky, library.string(), ": everybody may write to its folder '", folder.string(),
              "', so that anybody may replace it; no such library is loaded");
}

}  // namespace

std::string Spec::whole() const { return std::string(ir::enum_name(kind)) + (text.empty() ? "" : ":" + text); }

Spec parse_spec(std::string_view given) {
  // No kind has a '=' before its first colon, so that one which stands there ends a name.
  const auto equals = given.find('='), colon = given.find(':');
  const bool has_name = equals != std::string_view::npos && (colon == std::string_view::npos || equals < colon);
  const std::string_view name = has_name ? given.substr(0, equals) : "";
  ir::require(!has_name || is_name(name), "--candidate ", given, ": a name is 1 to ", longest_name,
              " of a-z, 0-9, '_' and '-', got '", name, "'");
  const std::string_view spec = has_name ? given.substr(equals + 1) : given;
  const auto end = spec.find(':');
  const std::string_view word = spec.substr(0, end);
  const auto kind = ir::enum_value<Kind>(word);
  const auto names = enum_names(Kind{});
  std::string known;
  for (const std::string_view one : names) known += (known.empty() ? "" : ", ") + std::string(one);
  ir::require(kind.has_value(), "--candidate ", given, ": '", word, "' is none of ", known,
              core::did_you_mean(word, {names.begin(), names.end()}));
  Spec made{.name = std::string(has_name ? name : word), .kind = *kind};
  if (end != std::string_view::npos) made.text = spec.substr(end + 1);
  SpecReader(made, given).read(end != std::string_view::npos);
  return made;
}

void require_trusted_library(const fs::path& path) {
  const std::string text = path.string();
  ir::require(text.find('/') != std::string::npos, "'", text, "' is not searched for; say ./", text);
  std::error_code failed;
  const fs::path real = fs::canonical(path, failed);
  ir::require(!failed, text, ": cannot be opened: ", failed.message());
  const auto status = fs::status(real, failed);
  ir::require(!failed && fs::is_regular_file(status), text, ": is no regular file");
  ir::require((status.permissions() & fs::perms::others_write) == fs::perms::none, text,
              ": everybody may write to it; no such library is loaded");
  require_safe_folder(path, real.parent_path());
  require_safe_folder(path, path.parent_path());
}

}  // namespace plumb::parity::foreign
