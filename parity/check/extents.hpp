// Extents for the letters of a sketch, of one kind at a time.
#pragma once

#include <optional>
#include <vector>

#include "parity/check/sketch.hpp"

namespace plumb::parity::check {

/// Extents on which kernels go wrong.
enum class Extents {
  small,
  ones,
  near_16,
  near_32,
  primes,
  powers,
  near_64,
  empty,
  tall,
  near_256,
  long_prime,
  odd_rows
};

inline constexpr std::size_t extent_kinds = 12;

/// The kind of the drawing of this number: they take turns.
constexpr Extents extents_of(std::size_t number) { return static_cast<Extents>(number % extent_kinds); }

/// The letters and lists of a sketch whose extents are drawn; `last` stands for the last extent of the list "..".
std::vector<std::string> letters_of(const Sketch& sketch);

/// A shape for each operand, with extents of this kind as far as the sketch leaves them open; the further the attempt,
/// the fewer of them are large. Nothing where relations between letters do not come out.
std::optional<std::vector<ir::Shape>> shapes_of(const Sketch& sketch, Extents kind, std::size_t attempt,
                                                Random& random);

}  // namespace plumb::parity::check
