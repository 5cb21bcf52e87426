#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "parity/checks/patterns/failing.hpp"

/// Classes of places that failing elements may crowd in (verdict.md V60).
namespace plumb::parity::checks::patterns {

struct Extents {
  std::int64_t batches = 1, rows = 1, columns = 1;

  double elements() const { return static_cast<double>(batches) * static_cast<double>(rows * columns); }
};

/// One failing element by its places.
struct Place {
  std::size_t element;
  std::int64_t batch, row, column;
};

/// The class whose share of the failing elements chance explains least, of all that are tried; of equals the first.
class BestClass {
 public:
  BestClass(double drawn, double elements) : drawn_(drawn), elements_(elements) {}

  /// A class of `all` elements, `hits` of which are among those drawn; `pattern()` says which.
  template <class Say>
  void try_class(double hits, double all, const Say& pattern) {
    if (raises(hits, all)) best_ = pattern();
  }

  /// Nothing where chance explains all of them.
  std::vector<cases::Pattern> found() const;

 private:
  bool raises(double hits, double all);

  const double drawn_, elements_;
  double tried_ = 0, score_ = 0;
  cases::Pattern best_ = {};
};

/// Corners, tiles, checkerboards and strides.
void try_corners(std::span<const Place> places, const Extents& extents, BestClass& best);
void try_tiles(std::span<const Place> places, const Extents& extents, BestClass& best);
void try_checkerboards(std::span<const Place> places, const Extents& extents, BestClass& best);
void try_strides(std::span<const Place> places, const Extents& extents, BestClass& best);

}  // namespace plumb::parity::checks::patterns
