// Reports of findings, for people and for programs.
#pragma once

#include <string>

#include "parity/studies/lint/lint.hpp"

namespace plumb::parity::studies::lint {

/// How a report begins: which file, and in which dtype.
struct Heading {
  std::string path;
  std::string dtype;  ///< in which the graph's f32 values are stored
  Level level;        ///< findings that are less sure are left out
};

/// How many findings are as sure as that.
std::size_t count_of(const Lint& lint, Level level);

/// Lines for people; `each_value` adds a line for every value.
std::string lint_text(const Lint& lint, const Heading& heading, bool each_value);

/// JSON of schema plumb.lint/1: findings, and what is known of every value.
std::string lint_json(const Lint& lint, const Heading& heading);

}  // namespace plumb::parity::studies::lint
