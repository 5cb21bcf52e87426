#pragma once

#include <concepts>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "ir/op.hpp"
#include "ir/tensor.hpp"

/// The terms that single elements of a result sum, in the order of the contract (verdict.md V12). They follow from the
/// element programs (recorded.hpp) or, where these are too slow, are written by hand from the definitions of the ops.
/// They share no helper with the executors, which they judge: what is wrong in such a helper would be wrong in both
/// (verdict.md V58).
namespace plumb::parity::element::terms {

/// A term a·b; what is no product has a factor 1.
struct Product {
  double a = 0, b = 1;

  double value() const { return a * b; }  ///< exact where both factors are numbers of f32
};

/// One element as a sum: scale · Σ terms / divisor + Σ added.
struct ElementSum {
  std::vector<Product> terms, added;
  double scale = 1, divisor = 1;
  std::vector<double> off = {};            ///< error of each term's factors, in unit roundoffs; empty: none
  std::vector<ElementSum> inner = {};      ///< sums that are factors of terms
  std::vector<double> inner_factors = {};  ///< the factor of each of them
  double moved = 0;                        ///< change of the whole by positions that are off, in unit roundoffs
  /// Where a kernel counts each term among those that an element has far from edges, and how many these are, where some
  /// are absent here: it adds zeros in their place. Empty: one after the other.
  std::vector<std::size_t> places = {};
  std::size_t all_places = 0;
  bool is_rounded = false;  ///< a factor is a result of f64 arithmetic, such as a weight

  void add(double a, double b = 1) { terms.push_back({a, b}); }
  /// The terms, multiplied out.
  std::vector<double> values() const;
};

/// An operand of a real dtype, widened to f64.
struct Operand {
  std::span<const double> values;
  ir::Shape shape;
};

/// Neighbours on the last axis of a result whose sums have a factor of every term in common, and nothing but such
/// terms: term k of element l is row[k] · columns[k * count + l].
struct Neighbours {
  static constexpr std::size_t count = 16;

  std::vector<double> row, columns;
};

/// An element of a running sum: the sum of `count` numbers of a line, of which each is `step` behind the one before it.
/// Elements of one line have one `first` and one `step`.
struct Prefix {
  std::span<const double> values;
  std::int64_t first = 0, step = 1, count = 0;

  double term(std::int64_t k) const { return values[static_cast<std::size_t>(first + k * step)]; }
  std::vector<double> terms() const;
};

/// Collects what elements are made of, of output 0.
class Walker {
 public:
  /// The sum of element `index` (flat, row-major); `sum` comes empty.
  using OfElement = std::function<void(std::int64_t index, ElementSum& sum)>;
  /// The sums of the elements from `first` on; false where they cannot be had as Neighbours.
  using OfNeighbours = std::function<bool(std::int64_t first, Neighbours& found)>;
  /// Element `index` of running sums.
  using OfPrefix = std::function<Prefix(std::int64_t index)>;

  template <class Walk>
  requires std::invocable<Walk, std::int64_t, ElementSum&> Walker(Walk of_element)
      : of_element_(std::move(of_element)) {}
  Walker(OfElement of_element, OfNeighbours of_neighbours)
      : of_element_(std::move(of_element)), of_neighbours_(std::move(of_neighbours)) {}
  Walker(OfElement of_element, OfPrefix of_prefix)
      : of_element_(std::move(of_element)), of_prefix_(std::move(of_prefix)) {}

  void operator()(std::int64_t index, ElementSum& sum) const { of_element_(index, sum); }
  bool neighbours(std::int64_t first, Neighbours& found) const {
    return of_neighbours_ && of_neighbours_(first, found);
  }
  /// Whether elements are running sums, so that each has the terms of the one before it in its line.
  bool has_prefixes() const { return static_cast<bool>(of_prefix_); }
  Prefix prefix(std::int64_t index) const { return of_prefix_(index); }

 private:
  OfElement of_element_;
  OfNeighbours of_neighbours_;
  OfPrefix of_prefix_;
};

/// The walker of an op on these operands, which must outlive it: the one written by hand, or that of its element
/// program. Nothing for an op, or attributes of it, whose elements are no sums.
std::optional<Walker> find_walker(const ir::Op& op, std::span<const Operand> operands, const ir::Shape& y);

/// The ops whose walkers are written by hand.
std::vector<const ir::OpSchema*> walked_ops();

/// The position of a flat row-major index in a tensor of this shape.
std::vector<std::int64_t> position_of(std::int64_t index, const ir::Shape& shape);
/// The flat row-major index of a position.
std::int64_t index_of(std::span<const std::int64_t> position, const ir::Shape& shape);

/// Steps through all positions of a box of these extents, the last axis first; false behind the last. A box without
/// elements must not be entered.
bool step(std::vector<std::int64_t>& position, std::span<const std::int64_t> extents);

}  // namespace plumb::parity::element::terms
