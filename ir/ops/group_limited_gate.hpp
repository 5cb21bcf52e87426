// Declares the choice of experts within the best groups of experts.
#pragma once

#include <algorithm>

#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

enum class GroupScore { top2_sum, max };

constexpr auto enum_names(GroupScore) { return std::array<std::string_view, 2>{"top2_sum", "max"}; }

/// The gate of a mixture of experts that first chooses groups of neighbouring experts (ops.md 13).
///
///   in      scores: what the weights are made of; routing: what experts are chosen by, the scores themselves without
///   it out     experts: the top_k best of the groups that are kept, the best first; weights: theirs rounds  a group's
///   score once, so that groups within a rounding of each other may change places; experts not at
///           all; weights within top_k + 4 ulp
///
/// With one group it is a plain gate.
struct GroupLimitedGate {
  std::int64_t num_groups = 8, top_groups = 4, top_k = 8;
  GroupScore group_score = GroupScore::top2_sum;
  bool normalize = true;
  double scale = 1;
  DType index_dtype = DType::i64;
  bool has_routing = true;

  static constexpr auto name = "group_limited_gate";
  static constexpr auto summary = "choice of experts within the best groups of them";
  static constexpr auto formula =
      "groups of E/num_groups experts, scored by the sum of their two largest routing values or by the largest; of the "
      "top_groups best the top_k experts of the largest routing, NaN before +inf, the lower one first of equals; "
      "weights = scale·scores there, over (their sum + 1e-20) where normalize and top_k > 1";
  static constexpr int tier = 3;
  static constexpr std::array inputs = {Input{"scores", dtypes::R, "[T, E]"},
                                        Input{"routing", dtypes::R, "[T, E]", "scores", "has_routing"}};
  static constexpr std::array outputs = {Output{"experts", "`index_dtype` [T, top_k]"},
                                         Output{"weights", "as scores [T, top_k]"}};
  static constexpr std::array<std::string_view, 5> checks = {
      "num_groups must divide the experts into groups of at least 1, or of at least 2 for top2_sum",
      "top_groups must be at least 1 and at most num_groups",
      "top_k must be at least 1 and at most the experts of top_groups groups", "index_dtype must be i32 or i64",
      "scores must have rank 2, and routing their shape"};
  static constexpr auto fields = std::tuple{
      Field{"num_groups", &GroupLimitedGate::num_groups, "into how many groups experts are divided"},
      Field{"top_groups", &GroupLimitedGate::top_groups, "how many groups are kept"},
      Field{"top_k", &GroupLimitedGate::top_k, "how many experts of every token"},
      Field{"group_score", &GroupLimitedGate::group_score, "by what groups are compared"},
      Field{"normalize", &GroupLimitedGate::normalize, "whether weights are divided by their sum; never one alone"},
      Field{"scale", &GroupLimitedGate::scale, "a factor of all weights"},
      Field{"index_dtype", &GroupLimitedGate::index_dtype, "dtype of experts"},
      Field{"has_routing", &GroupLimitedGate::has_routing, "whether there is an operand that experts are chosen by"},
  };

  TensorTypes infer(Types in) const {
    const Shape& x = in[0].shape;
    check(*this, 5, x.rank() == 2 && in.back().shape == x, "scores are ", in[0], ", routing is ", in.back());
    const std::int64_t least = group_score == GroupScore::top2_sum ? 2 : 1;
    check(*this, 1, num_groups >= 1 && x[1] % num_groups == 0 && x[1] / num_groups >= least, "num_groups is ",
          num_groups, ", scores are ", in[0]);
    check(*this, 2, 1 <= top_groups && top_groups <= num_groups, "top_groups is ", top_groups, ", num_groups is ",
          num_groups);
    check(*this, 3, 1 <= top_k && top_k <= top_groups * (x[1] / num_groups), "top_k is ", top_k, ", top_groups is ",
          top_groups, ", scores are ", in[0]);
    check(*this, 4, dtypes::X.contains(index_dtype), "got ", index_dtype);
    const Shape y = {x[0], top_k};
    return {{index_dtype, y}, {in[0].dtype, y}};
  }

  bool is_normalized() const { return normalize && top_k > 1; }

  ErrorClass error_class() const { return ErrorClass::discrete; }
  Cost cost(Types in, Types) const { return {static_cast<double>(in[0].shape.elements()), 0}; }
  Loops loops(Types in, Types) const {
    const std::vector<Axis> routing(has_routing ? 1 : 0, Axis{0});
    return {.loops = {kernels::along(in, 0, routing)},
            .operands = {{.role = Role::data}, {.role = Role::parameter}},
            .rounds = "scores of groups and weights are rounded"};
  }
  bool operator==(const GroupLimitedGate&) const = default;
};

}  // namespace plumb::ir::ops
