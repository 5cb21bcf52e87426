#pragma once

#include "parity/element/terms/terms.hpp"

namespace plumb::parity::element::terms {

/// Which updates fall on which elements of a result.
class Targets {
 public:
  void add(std::int64_t element, std::int64_t update) { pairs_.emplace_back(element, update); }
  /// The updates of each element come in their order from here on.
  void settle();

  /// The walker of an op that adds all updates of an element to what was there, if anything was.
  static Walker walker(Targets targets, const Operand& updates, const Operand& before);

 private:
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs_;
};

/// An index as one from 0 on, of so many.
std::int64_t counted_from_0(double index, std::int64_t extent);

}  // namespace plumb::parity::element::terms
