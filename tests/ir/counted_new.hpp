#pragma once

#include <atomic>
#include <cstddef>

namespace plumb::tests {

/// The most bytes that this program asked operator new for at once, since a test set it
/// to 0. Stays 0 under AddressSanitizer, which has an operator new of its own.
extern std::atomic<std::size_t> largest_allocation;

/// How often this thread has asked operator new for memory. Stays 0 likewise.
extern thread_local std::size_t allocations;

}  // namespace plumb::tests
