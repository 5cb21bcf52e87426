#pragma once

// Suites of tests as JUnit XML, which most systems of continuous integration show.

#include <span>
#include <string>
#include <string_view>

#include "parity/report/suites.hpp"

namespace plumb::parity::report {

/// Text as XML may have it, and as it is shown: what is no UTF-8, and control characters but line feeds and tabs,
/// become U+FFFD.
std::string shown_text(std::string_view text);

/// A document of JUnit XML. Tests of one group and name are told apart by "#2" and so on, since readers drop the
/// second. Where there are more than 20 000 tests, or they take more than 25 MB, those that passed are left out, and
/// then the last ones; the property "left_out" of a suite says how many. Its counts are of what stands in the file.
std::string to_junit(std::span<const Suite> suites);

}  // namespace plumb::parity::report
