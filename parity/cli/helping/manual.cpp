// Manuals from the commands and flags that CLI11 knows.
#include "parity/cli/helping/manual.hpp"

#include <algorithm>
#include <cctype>

#include "parity/cli/command.hpp"
#include "parity/cli/helping/tree.hpp"
#include "parity/core/build_info.hpp"

namespace plumb::parity::cli {
namespace {

/// Text that roff shows as it is: a line that begins with a dot or a quote would be a request.
std::string roff(std::string_view text) {
  std::string escaped;
  bool begins = true;
  for (const char c : text) {
    if (begins && (c == '.' || c == '\'')) escaped += "\\&";
    begins = c == '\n';
    if (c == '\\')
      escaped += "\\e";
    else if (c == '-')
      escaped += "\\-";
    else
      escaped += c;
  }
  return escaped;
}

std::string dashed(std::string name) {
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::string entry_of(const std::string& head, const std::string& what) {
  return ".TP\n" + head + '\n' + roff(what) + '\n';
}

std::string bold(std::string_view text) { return "\\fB" + roff(text) + "\\fR"; }

/// Type, default and limits of an option, which stand behind its name.
std::string words_behind(const CLI::Option& option) { return roff(CLI::Formatter().make_option_opts(&option)); }

std::string entry_of_flag(const CLI::Option& flag) {
  std::string names;
  for (const std::string& name : names_of_flag(flag)) names += (names.empty() ? "" : ", ") + bold(name);
  return entry_of(names + words_behind(flag), flag.get_description());
}

/// Positionals, and flags by their groups, each below a title.
std::string entries_of_options(const CLI::App& app) {
  std::string text, group;
  for (const CLI::Option* const option : positionals_of(app))
    text += entry_of("\\fI" + roff(option->get_name(true)) + "\\fR" + words_behind(*option), option->get_description());
  for (const std::string& one : app.get_groups()) {
    std::string entries;
    for (const CLI::Option* const flag : flags_of(app))
      if (flag->get_group() == one) entries += entry_of_flag(*flag);
    if (!entries.empty()) text += ".SS " + roff(one) + '\n' + entries;
  }
  return text;
}

std::string synopsis_of(const CLI::App& app) {
  std::string text = bold(full_name(app)) + " [OPTIONS]";
  for (const CLI::Option* const option : positionals_of(app)) {
    const std::string several = option->get_items_expected_max() > 1 ? " ..." : "";
    const bool is_required = option->get_required();
    text += (is_required ? " " : " [") + roff(option->get_name(true) + several) + (is_required ? "" : "]");
  }
  return text + (inner_commands(app).empty() ? "" : " COMMAND") + '\n';
}

std::string entries_of_commands(const CLI::App& app) {
  std::string text;
  for (const CLI::App* const inner : inner_commands(app))
    text += entry_of(bold(inner->get_name()), inner->get_description());
  return text;
}

/// The notes of a command below its options, without those that all commands have.
std::string own_notes(const CLI::App& app, const std::string& of_all) {
  const std::string notes = app.get_footer();
  return notes.substr(0, notes.find(of_all));
}

std::string example_of(const CLI::App& app) {
  for (const Command& command : commands)
    if (full_name(app) == "plumb " + std::string(command.name)) return std::string(command.example);
  return "";
}

}  // namespace

std::string manual_page(const CLI::App& app) {
  const CLI::App* root = &app;
  while (root->get_parent() != nullptr) root = root->get_parent();
  const std::string name = dashed(full_name(app));
  std::string title = name;
  std::ranges::transform(title, title.begin(), [](unsigned char c) { return std::toupper(c); });
  std::string text = ".TH " + roff(title) + " 1 \"\" \"plumbline " + std::string(core::build_info().version) + "\"\n";
  text += ".SH NAME\n" + roff(name) + " \\- " + roff(app.get_description()) + '\n';
  text += ".SH SYNOPSIS\n" + synopsis_of(app);
  if (&app == root) {
    text += ".SH COMMANDS\nEach has a manual of its own, as plumb\\-verify(1).\n" + entries_of_commands(app);
    text += ".SH OPTIONS\n" + entries_of_options(app);
  } else {
    text += ".SH OPTIONS\n" + entries_of_options(app);
    for (const CLI::App* const inner : inner_commands(app))
      text += ".SH COMMAND " + roff(inner->get_name()) + '\n' + roff(inner->get_description()) + '\n' +
              entries_of_options(*inner);
    const std::string notes = own_notes(app, root->get_footer());
    if (!notes.empty()) text += ".SH NOTES\n" + roff(notes) + (notes.ends_with('\n') ? "" : "\n");
  }
  const std::string exit_codes = root->get_footer();
  text += ".SH EXIT STATUS\n" + roff(exit_codes.substr(exit_codes.find(": ") + 2)) + '\n';
  if (const std::string example = example_of(app); !example.empty())
    text += ".SH EXAMPLES\n.EX\n" + roff(example) + "\n.EE\n";
  return text + ".SH SEE ALSO\n" + (&app == root ? bold("plumb help") + "\n" : "plumb(1)\n");
}

}  // namespace plumb::parity::cli
