#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

namespace plumb::parity::cli::show {

/// Help whose lines fit the screen: descriptions are folded at spaces, in a column of their own.
class HelpFormatter final : public CLI::Formatter {
 public:
  explicit HelpFormatter(std::size_t width) : width_(width) {}

  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_subcommand(const CLI::App* command) const override;
  std::string make_description(const CLI::App* app) const override;
  std::string make_footer(const CLI::App* app) const override;

 private:
  std::string entry(std::string_view name, std::string_view description) const;

  std::size_t width_;
};

/// Columns of help that is printed there: no more than can be read well, and as many when it is no terminal.
std::size_t help_width(int descriptor);

}  // namespace plumb::parity::cli::show
