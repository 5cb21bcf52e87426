#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "parity/bounds/error_model.hpp"
#include "parity/element/terms/terms.hpp"

/// Ops that have sums inside, whose results are functions of these: softmax, norms, attention. Their elements are
/// looked at by what they share: the line that is normalised, the query (verdict.md V21, V28 to V31).
namespace plumb::parity::settle {

/// The numbers that the elements of a line share, evaluated by the definition of the op on the terms of
/// parity/element/terms.
class Row {
 public:
  Row() = default;
  Row(const Row&) = delete;
  Row& operator=(const Row&) = delete;
  virtual ~Row() = default;

  /// How far an element may be from its truth by chance, before it is stored, every sum along its own tree; nothing
  /// where the line is one that tells nothing. Elements are asked for by their flat indices.
  virtual std::optional<double> limit(std::int64_t index, double truth) const = 0;
  /// How far an element that has a limit may be if the terms of sums creep besides (verdict.md V23).
  virtual double wide_limit(std::int64_t index, double truth) const = 0;
  /// The result in f32 in the kernel's own order. Sums that a compiler may fuse or not are made as `fused` says.
  /// Nothing where a sum cannot be replayed.
  virtual std::optional<double> replay(std::int64_t index, bool fused) const = 0;
  /// Whether a result that is far from both replays was made in another order than the kernel's. Not where a replay
  /// takes steps at once that the kernel takes one by one.
  virtual bool replays_every_step() const { return true; }
  /// The truth of an element, in double-double until it is rounded; nothing where that is not known, or too small or
  /// too large for it.
  virtual std::optional<double> truth(std::int64_t) const { return std::nullopt; }
  /// The numbers that an element would be if one of the sums that its line shares lacked its term of median size, one
  /// for each of them (verdict.md V41); empty where nothing is known of that.
  virtual std::vector<double> results_without_terms(std::int64_t, double) const { return {}; }
  /// Whether a sum that the line shares has an order in which it leaves the range (verdict.md V34).
  virtual bool overflows_in_some_order() const { return false; }
  /// Whether the sizes of the finite terms of such a sum add up to more than the type holds: limits are made of these.
  virtual bool has_sizes_beyond() const { return false; }
  /// The number that an element is where a shared sum is infinite; 0 unless the op has another.
  virtual double lost(std::int64_t) const { return 0; }
};

/// How to come from an element to its row.
struct Rows {
  std::function<std::int64_t(std::int64_t index)> number_of;
  std::function<std::unique_ptr<Row>(std::int64_t number)> make;
  std::int64_t terms = 0;  ///< how many a row adds that knows the truth of its elements; 0: none does
};

/// A node of whose output `node.output` single elements are asked for: its op in reference precision, how it is
/// computed, its operands as numbers, which outlive the rows, and the shape of output 0.
struct Operation {
  bounds::Node node;
  std::vector<element::terms::Operand> operands;
  ir::Shape y;

  /// An element of the first operand, by its flat index.
  double x(std::int64_t index) const { return operands[0].values[static_cast<std::size_t>(index)]; }
};

/// The rows of an op that has a file in parity/settle/ops, for the attributes of this one; nothing for an output that
/// has none.
std::optional<Rows> find_rows(const Operation& operation);

/// The ops that have a file in parity/settle/ops.
std::vector<const ir::OpSchema*> ops_with_rows();

}  // namespace plumb::parity::settle
