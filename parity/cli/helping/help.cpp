// `plumb help`: commands, pages of docs/, and manuals for man.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "ir/error.hpp"
#include "parity/cli/command.hpp"
#include "parity/cli/helping/manual.hpp"
#include "parity/cli/helping/markdown_text.hpp"
#include "parity/cli/helping/pager.hpp"
#include "parity/cli/helping/pages.hpp"
#include "parity/cli/helping/tree.hpp"
#include "parity/cli/show/help_formatter.hpp"
#include "parity/core/did_you_mean.hpp"
#include "parity/core/terminal/text.hpp"

namespace plumb::parity::cli {
namespace {

struct HelpFlags {
  std::vector<std::string> topic;
  bool manual = false;
};

/// The command of these words, from `app` on; null where the first of them is none. Throws Error where a later one is
/// none.
const CLI::App* command_of(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* found = nullptr;
  for (const std::string& word : words) {
    const CLI::App& above = found != nullptr ? *found : app;
    const CLI::App* const inner = inner_command(above, word);
    if (inner == nullptr && found == nullptr) return nullptr;
    ir::require(inner != nullptr, "plumb ", above.get_name(), " has no command '", word, "'",
                core::did_you_mean(word, names_of_commands(above)));
    found = inner;
  }
  return found;
}

std::string help_of(const CLI::App& app) {
  const CLI::App* const above = app.get_parent();
  const std::string before = above == nullptr ? "" : full_name(*above) + ' ';
  // App::help would go on to the command of this process, which is `help`.
  return app.get_formatter()->make_help(&app, before + app.get_name(), CLI::AppFormatMode::Normal);
}

std::string list_of_pages(std::size_t width) {
  constexpr std::size_t column = 20;
  std::string text = "\nPages:\n";
  for (const std::string& name : page_names()) {
    const std::string head = "  " + name + std::string(column - std::min(name.size() + 2, column - 1), ' ');
    text += core::terminal::folded(head + title_of(page_of(name)), width, std::string(column, ' ')) + '\n';
  }
  return text;
}

/// The text of a topic. A command may be called as a page is, which then follows it; "ci.md" and
/// "docs/ci.md" mean the page alone.
std::string text_of_topic(const CLI::App& root, const std::vector<std::string>& topic, std::size_t width) {
  if (topic.empty()) return help_of(root) + list_of_pages(width);
  std::string name = topic[0];
  if (name.starts_with("docs/")) name.erase(0, 5);
  const bool is_file = name.ends_with(".md");
  if (is_file) name.erase(name.size() - 3);
  const CLI::App* const command = is_file ? nullptr : command_of(root, topic);
  const std::string page = topic.size() > 1 ? "" : page_of(name);
  std::vector<std::string> known = page_names();
  for (std::string& one : names_of_commands(root)) known.push_back(std::move(one));
  ir::require(command != nullptr || !page.empty(), "there is no command and no page '", topic[0], "'",
              core::did_you_mean(name, known));
  std::string text = command != nullptr ? help_of(*command) : "";
  if (!text.empty() && !page.empty()) text += "\n\n";
  return page.empty() ? text : text + markdown_text(page, width);
}

std::string manual_of_topic(const CLI::App& root, const std::vector<std::string>& topic) {
  const CLI::App* const command = topic.empty() ? &root : command_of(root, topic);
  ir::require(command != nullptr, "--man: there is no command '", topic.empty() ? "" : topic[0], "'",
              topic.empty() ? "" : core::did_you_mean(topic[0], names_of_commands(root)));
  return manual_page(*command);
}

}  // namespace

Action help(CLI::App& app) {
  const auto flags = std::make_shared<HelpFlags>();
  app.add_option("topic", flags->topic, "a command, or a page of the documentation; none: which there are")
      ->type_name("TOPIC");
  app.add_flag("--man", flags->manual, "write the manual of this command, or of the program, for man (roff)");
  return [flags, &app] {
    const CLI::App& root = *app.get_parent();
    if (flags->manual)
      std::cout << manual_of_topic(root, flags->topic);
    else
      show_by_pages(text_of_topic(root, flags->topic, show::help_width(STDOUT_FILENO)));
    return 0;
  };
}

}  // namespace plumb::parity::cli
