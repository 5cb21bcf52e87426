#pragma once

// The script of a page reads this: cases, nodes and graphs as JSON.

#include <string>

#include "parity/report/html/page.hpp"

namespace plumb::parity::report::html {

/// How much of a run a page has; each leaves out what the one before it does, too.
enum class Kept { all, no_histograms, no_details_of_passed, no_passed, first_cases };
inline constexpr Kept all_kept[] = {Kept::all, Kept::no_histograms, Kept::no_details_of_passed, Kept::no_passed,
                                    Kept::first_cases};

/// Outputs of nodes in all cases.
std::size_t count_outputs(const Cases& cases);

/// The data of a page as JSON text, with what was left out in words.
std::string page_data(const Cases& cases, const RunFacts& facts, Kept kept);

}  // namespace plumb::parity::report::html
