#pragma once

#include <string>

namespace plumb::parity::cli {

/// Writes the text to stdout; where that is a terminal, through the program that $PAGER names, if it names one that can
/// be started.
void show_by_pages(const std::string& text);

}  // namespace plumb::parity::cli
