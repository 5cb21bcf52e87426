#pragma once

// Words that may be the value of a flag.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace plumb::parity::cli {

struct Suggestion {
  std::string word, meaning;
};

/// Words that a command line has so far, and on which the next depend.
struct GivenWords {
  std::vector<std::string> files;   ///< graphs, and other words without a flag
  std::vector<std::string> shapes;  ///< values of --shape
};

/// The values that an option may have, by its type in help: one of {a,b}, OP, DEVICE, TAGS, FAULT, FAULTS, LABEL,
/// LABELS, KNOB=VALUE, TOPIC; nothing of other types. Of a list, `begun` may have words before a comma, which stand
/// before each suggestion, too. Labels are those of the graphs on the line, and graphs that cannot be read, or not
/// within 120 ms, have none.
std::vector<Suggestion> values_of(const CLI::Option& option, const std::string& begun, const GivenWords& given);

}  // namespace plumb::parity::cli
