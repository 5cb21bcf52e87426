#pragma once

// Suites of tests as JUnit XML, which most systems of continuous integration show.

#include <span>
#include <string>

#include "parity/report/suites.hpp"

namespace plumb::parity::report {

/// A document of JUnit XML. Tests of one group and name are told apart by "#2" and so on, since readers drop the
/// second. Where there are more than 20 000 tests, or they take more than 25 MB, those that passed are left out, and
/// then the last ones; the property "left_out" of a suite says how many. Its counts are of what stands in the file.
std::string to_junit(std::span<const Suite> suites);

}  // namespace plumb::parity::report
