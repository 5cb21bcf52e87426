#pragma once

// Numbers of a definition that stand in its Python text alone, as EPS = 1e-6.

#include <set>
#include <string>
#include <vector>

#include "parity/check/check.hpp"
#include "parity/check/flashinfer/definition.hpp"

namespace plumb::parity::check::flashinfer {

/// Looks numbers up: those that were given (--attr) come before those of the text.
class Constants {
 public:
  Constants(const Definition& definition, Words given) : definition_(definition), given_(std::move(given)) {}

  /// The number: as given, by the first of its names, or that of the one line of the text that gives one of the names a
  /// number. Throws Unsupported, with what to give, where there is no such line, or several that differ.
  double number(const std::vector<std::string>& names);

  /// True or false, as it was given; nothing where it was not.
  std::optional<bool> truth(const std::string& name);

  /// Throws Error where something was given that nobody has asked for, with the nearest name that somebody has.
  void require_all_asked() const;

 private:
  const std::string* given(const std::string& name);

  const Definition& definition_;
  const Words given_;
  std::set<std::string> asked_;
};

/// The numbers that lines of a Python text, each of them an assignment of a number, give to a name.
std::vector<double> assigned_numbers(std::string_view text, std::string_view name);

/// A text without its spaces, to look for an expression in.
std::string without_spaces(std::string_view text);

}  // namespace plumb::parity::check::flashinfer
