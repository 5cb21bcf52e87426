#pragma once

#include <functional>
#include <span>
#include <unordered_map>

#include "parity/bounds/bounded.hpp"
#include "parity/judges/judgement.hpp"

namespace plumb::parity::judges {

/// One question to the judge of an op (verdict.md V63): whether a correct kernel can make these outputs of a node from
/// its operands.
struct Question {
  ir::Executor& reference;
  const core::Segment& segment;   ///< the one node, fed with its operands
  std::vector<ir::Tensor> in;     ///< its operands, one by one, widened
  std::vector<ir::Tensor> got;    ///< all outputs of the candidate
  const core::Evaluated& truth;   ///< outputs of the widened op under its own decisions
  std::span<const ir::Sum> sums;  ///< how the kernel says that it adds
  const bounds::Manner& manner;   ///< how it computes, by its profile or what is safe to assume
  double lambda;                  ///< standard deviations that every limit of chance allows for
  /// Sums are looked at term by term: asked again where the mean over all orders of the terms leaves something open.
  bool looks_closely = false;

  const ir::Op& op() const { return segment.graph.nodes().front().op; }
  const ir::TensorType& in_type(std::size_t i) const {
    return segment.graph.type(segment.graph.nodes().front().inputs.at(i));
  }
  const ir::TensorType& out_type(std::size_t k) const { return segment.graph.type(segment.outputs.at(k)); }

  /// The unit roundoff of what output k is computed in. Where that is f64, it is that of the truth as well: there it
  /// counts twice.
  double unit(std::size_t k) const;
  /// Absolute error allowed to every element of output k: the spacing of subnormals or, where they may be flushed, the
  /// smallest normal.
  double floor(std::size_t k) const;
  /// Half of the spacing of the output's dtype at y, where it is narrower than what it is computed in; else 0.
  double storage(std::size_t k, double y) const;
};

/// It is made for one node and asked of any outputs on the same operands: what depends on these alone it may keep.
using Judge = std::function<Judgement(const Question&)>;

/// Judges of ops that are not of the IR: of those that a program defines for graphs of its own making.
struct ExtraJudges {
  std::unordered_map<const ir::OpSchema*, std::function<std::optional<Judge>(const ir::Op&)>> by_op;
};

/// The judge of an op that has a file in parity/judges/ops or, without an error model, in
/// parity/judges/definitions/ops, or one in `extra`; nothing for those whose elements have limits of their own.
std::optional<Judge> find_judge(const ir::Op& op, const ExtraJudges* extra = nullptr);

/// The ops that have a file in parity/judges/ops.
std::vector<const ir::OpSchema*> ops_with_judges();

}  // namespace plumb::parity::judges
