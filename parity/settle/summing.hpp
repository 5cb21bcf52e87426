#pragma once

#include <optional>

#include "parity/settle/subject.hpp"
#include "parity/sums/element_limit.hpp"

namespace plumb::parity::settle {

/// The node of a segment whose sums can be walked: it is fed with what the segment is, and nothing before it rounds.
struct Summing {
  ir::Value sum;                 ///< its output
  ir::Shape shape;               ///< the shape of its output
  std::vector<ir::Tensor> wide;  ///< its operands, widened, where only this keeps the numbers that the walker reads
  element::terms::Walker walker;
  sums::Arithmetic arithmetic;
  double lambda, stored;      ///< standard deviations allowed for; error of storing, relative to the result
  bool is_logarithm = false;  ///< the node's output is the logarithm of the sum

  element::terms::ElementSum at(std::size_t i) const {
    element::terms::ElementSum sum;
    walker(static_cast<std::int64_t>(i), sum);
    return sum;
  }
};

/// Node `node` of a graph as such a one, on these operands, widened: floats are f64, and so are whole numbers. Nothing
/// where it is not walked.
std::optional<Summing> sums_of(const ir::Graph& graph, const ir::Node& node, std::vector<ir::Tensor> operands,
                               const bounds::Manner& manner);

/// The first such node, or one that makes logarithms of such sums; `fed` has what the segment is fed, widened. Nothing
/// where none is walked.
std::optional<Summing> summing_node(const Subject& subject, const ir::Feeds& fed);

/// The node whose result has the elements that those of output `k` come from, each at its place, by ops on single
/// elements; null where there is no such one.
const ir::Node* node_at_place(const Subject& subject, std::size_t k);

/// The sums that output `k` of a segment is, where that is one op on real floats; nothing where it is several, or where
/// no walker walks it. A subject that does not bring its inputs widened is widened for it, once.
std::shared_ptr<const Summing> find_bare_sum(const Subject& subject, std::size_t k);

}  // namespace plumb::parity::settle
