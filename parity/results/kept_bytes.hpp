#pragma once

#include <span>
#include <string>
#include <string_view>

#include "parity/cases/kept_nodes.hpp"

namespace plumb::parity::results {

/// A kept node, or a few texts, as bytes: for the program that wrote them alone, in the layout of its own machine.
std::string bytes_of(std::size_t n, const cases::KeptNode& node);
std::string bytes_of(std::span<const std::string> texts);

/// The number of the node whose bytes these are, and the node. Throws Error where they are none.
std::pair<std::size_t, cases::KeptNode> node_in(std::string_view bytes);
std::vector<std::string> texts_in(std::string_view bytes);

}  // namespace plumb::parity::results
