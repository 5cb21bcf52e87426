#pragma once

#include <string>
#include <utility>
#include <vector>

namespace plumb::ref_cpu {

/// The libraries that the CPU executor computes with, by name and version: a record of
/// numbers says what made them.
std::vector<std::pair<std::string, std::string>> library_versions();

/// Whether FFTW is among them, with which the whole is under the GPL (docs/licences.md).
bool has_fftw();

}  // namespace plumb::ref_cpu
