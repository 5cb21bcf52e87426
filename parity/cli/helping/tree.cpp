// Walks the tree of CLI11.
#include "parity/cli/helping/tree.hpp"

namespace plumb::parity::cli {

std::vector<const CLI::App*> inner_commands(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* inner) { return !inner->get_group().empty(); });
}

std::vector<std::string> names_of_commands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* const inner : inner_commands(app)) names.push_back(inner->get_name());
  return names;
}

const CLI::App* inner_command(const CLI::App& app, std::string_view name) {
  for (const CLI::App* const inner : inner_commands(app))
    if (inner->get_name() == name) return inner;
  return nullptr;
}

std::string full_name(const CLI::App& app) {
  const CLI::App* const above = app.get_parent();
  return above == nullptr ? app.get_name() : full_name(*above) + ' ' + app.get_name();
}

std::vector<const CLI::Option*> flags_of(const CLI::App& app) {
  return app.get_options(
      [](const CLI::Option* option) { return option->nonpositional() && !option->get_group().empty(); });
}

std::vector<const CLI::Option*> positionals_of(const CLI::App& app) {
  return app.get_options(
      [](const CLI::Option* option) { return option->get_positional() && !option->get_group().empty(); });
}

std::vector<std::string> names_of_flag(const CLI::Option& flag) {
  std::vector<std::string> names;
  for (const std::string& name : flag.get_snames()) names.push_back('-' + name);
  for (const std::string& name : flag.get_lnames()) names.push_back("--" + name);
  return names;
}

bool takes_word(const CLI::Option& flag) { return flag.get_items_expected_max() > 0; }

}  // namespace plumb::parity::cli
