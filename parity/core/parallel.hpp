#pragma once

#include <cstddef>
#include <functional>

#include "ir/raw/threads.hpp"

namespace plumb::parity::core {

using ir::raw::for_each_piece;
using ir::raw::ThreadLimit;
using ir::raw::workers_for;

/// Things of which each is made for itself, on any thread; carried on in order, on the calling one, from what those
/// before it came to; finished, on any thread; and taken in order by the calling one.
struct MadeAhead {
  std::size_t count = 0;
  /// Makes thing `i`. What it throws is thrown where the thing would have been taken.
  std::function<void(std::size_t i)> make;
  /// Carries on thing `i` from those before it, which are carried on by then, though not all of them taken; false where
  /// nothing can be carried on behind it: then it is the last one that is taken, unfinished.
  std::function<bool(std::size_t i)> carry = [](std::size_t) { return true; };
  /// Does the rest for thing `i` alone. It must not throw.
  std::function<void(std::size_t i)> finish = [](std::size_t) {};
  /// Takes thing `i`, all before it being taken; false where no more are wanted.
  std::function<bool(std::size_t i)> take;
  /// Bytes that thing `i` holds from the start of its making until it is taken.
  std::function<double(std::size_t i)> size;
  double most = 0;  ///< Bytes of all that are begun and not taken together; one is begun whatever it holds.
  /// On how many threads a thing is made, of those that are allowed.
  std::function<int(std::size_t i)> threads;
  /// How many of the threads that are allowed are kept for carrying on, the calling one included, until all are made:
  /// everything waits for that in the end, and threads that share a core with others wait for each other.
  int carrying = 1;
};

/// Makes and takes all of them, on as many threads as are allowed. On one thread each is taken as soon as it is made.
/// Which thread makes what is chance.
void make_ahead(const MadeAhead& things);

}  // namespace plumb::parity::core
