#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace plumb::parity::studies::reduce {

/// Zeller and Hildebrandt's ddmin: the least of `items` that is found of which `fails` is true, given that it is of all
/// of them. Chunks are left out first, then taken alone; they are neighbours, so that of nodes in topological order
/// what belongs together goes together. 1-minimal: `fails` is false of what is left without any one of it. Never asks
/// of none.
std::vector<std::size_t> ddmin(std::vector<std::size_t> items,
                               const std::function<bool(const std::vector<std::size_t>&)>& fails);

}  // namespace plumb::parity::studies::reduce
