#pragma once

// The description that commands give to files of tensors.

#include <string>
#include <string_view>

#include "ir/formats/dumps/dump_description.hpp"
#include "parity/cases/case.hpp"

namespace plumb::parity::cli::flags {
struct ChosenExecutor;
}

namespace plumb::parity::cli::show {

/// The text that a file of tensors carries: which case they are of, on which device and by which version, and `tensors`
/// of each of them. `on` gave those that our CPU executor did not. `watch` is "plain" where the graph ran as it is
/// compiled for its results, "inside" where every chosen value was kept.
std::string about_tensors(const ir::formats::DumpDescription& tensors, const cases::Case& subject,
                          const flags::ChosenExecutor& on, std::string_view watch);

}  // namespace plumb::parity::cli::show
