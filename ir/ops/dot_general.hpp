#pragma once

#include <algorithm>

#include "ir/kernels/accumulator.hpp"
#include "ir/kernels/contraction.hpp"
#include "ir/kernels/op_loops.hpp"
#include "ir/op.hpp"

namespace plumb::ir::ops {

/// Sum of products over any axes of two tensors (ops.md 6, StableHLO dot_general).
struct DotGeneral {
  std::vector<std::int64_t> a_batch, b_batch, a_contract, b_contract;
  std::optional<DType> accumulator = {};

  static constexpr auto name = "dot_general";
  static constexpr auto summary = "sum of products over any axes of two tensors";
  static constexpr auto formula =
      "y[β, i, j] = Σ_κ a[β, i, κ]·b[β, j, κ]: batch axes in list order, then the free axes of a and of b in theirs; "
      "integers wrap";
  static constexpr int tier = 2;
  static constexpr DTypes operand = dtypes::R | dtypes::Z | DType::i32 | DType::u32 | DType::i64;
  static constexpr std::array inputs = {Input{"a", operand, "[..]"}, Input{"b", operand, "[..]", "a"}};
  static constexpr std::array outputs = {Output{"y", "as a [batch.., free of a.., free of b..]"}};
  static constexpr std::array<std::string_view, 3> checks = {
      "batch lists must be of one length, contract lists too, and must name no axis twice",
      "paired axes must have one extent", kernels::accumulator_rule};
  static constexpr auto fields = std::tuple{
      Field{"a_batch", &DotGeneral::a_batch, "batch axes of a", Presence::required},
      Field{"b_batch", &DotGeneral::b_batch, "those of b, pair by pair", Presence::required},
      Field{"a_contract", &DotGeneral::a_contract, "summed axes of a", Presence::required},
      Field{"b_contract", &DotGeneral::b_contract, "those of b, pair by pair", Presence::required},
      Field{"accumulator", &DotGeneral::accumulator, kernels::accumulator_help},
  };

  /// Both operands with labelled axes, the labels of y, and those that are summed, in list order; axes of extent 1 have
  /// none.
  struct Labelling {
    kernels::Labelled a, b;
    kernels::Labels y, summed;
  };
  Labelling labelling(const Shape& a, const Shape& b) const {
    constexpr kernels::Label free_of_a = 100, free_of_b = 200;  // batch labels from 0, contracted ones from 50
    Labelling made{labelled(a, a_batch, a_contract, free_of_a), labelled(b, b_batch, b_contract, free_of_b), {}, {}};
    for (kernels::Label label = 0; label < free_of_a; ++label)
      if (made.a.has(label)) (label < 50 ? made.y : made.summed).push_back(label);
    for (const kernels::Labelled* x : {&made.a, &made.b})
      for (const kernels::Label label : x->labels)
        if (label >= free_of_a) made.y.push_back(label);
    return made;
  }

  TensorTypes infer(Types in) const {
    const auto &a = in[0].shape, &b = in[1].shape;
    const auto distinct = [&](const Shape& x, const auto& batch, const auto& contract) {
      std::vector<std::size_t> axes;
      for (const auto* list : {&batch, &contract})
        for (const auto axis : *list) axes.push_back(x.axis(axis));
      std::ranges::sort(axes);
      return std::ranges::adjacent_find(axes) == axes.end();
    };
    const bool paired = a_batch.size() == b_batch.size() && a_contract.size() == b_contract.size();
    check(*this, 1, paired && distinct(a, a_batch, a_contract) && distinct(b, b_batch, b_contract), "batch axes are ",
          Shape(a_batch), " of ", in[0], " and ", Shape(b_batch), " of ", in[1], ", contracted ones ",
          Shape(a_contract), " and ", Shape(b_contract));
    const auto same = [&](const auto& of_a, const auto& of_b) {
      for (std::size_t i = 0; i < of_a.size(); ++i)
        check(*this, 2, a[a.axis(of_a[i])] == b[b.axis(of_b[i])], "axis ", of_a[i], " of ", in[0], ", axis ", of_b[i],
              " of ", in[1]);
    };
    same(a_batch, b_batch);
    same(a_contract, b_contract);
    check(*this, 3, kernels::can_accumulate(in[0].dtype, accumulator), "operands are ", in[0].dtype,
          ", accumulator is ", accumulator.value_or(in[0].dtype));
    Shape y;
    for (const auto axis : a_batch) y.push_back(a[a.axis(axis)]);
    const auto add_free = [&y](const Shape& x, const auto& batch, const auto& contract) {
      for (std::size_t axis = 0; axis < x.size(); ++axis)
        if (!place(x, batch, axis) && !place(x, contract, axis)) y.push_back(x[axis]);
    };
    add_free(a, a_batch, a_contract);
    add_free(b, b_batch, b_contract);
    return {{in[0].dtype, std::move(y)}};
  }
  ErrorClass error_class() const { return ErrorClass::dot; }
  Cost cost(Types in, Types out) const {
    std::int64_t k = 1;
    for (const auto axis : a_contract) k *= in[0].shape[in[0].shape.axis(axis)];
    return {2.0 * static_cast<double>(k) * static_cast<double>(out[0].shape.elements()), k};
  }
  Loops loops(Types in, Types) const {
    const Shape &a = in[0].shape, &b = in[1].shape;
    Loops made{.operands = {kernels::linear_data, kernels::linear_factor}};
    std::vector<bool> a_free(a.size(), true), b_free(b.size(), true);
    const auto pair = [&](std::int64_t of_a, std::int64_t of_b) {
      a_free[a.axis(of_a)] = b_free[b.axis(of_b)] = false;
      return std::vector<Axis>{a.axis(of_a), b.axis(of_b)};
    };
    std::size_t place = 0;
    for (std::size_t i = 0; i < a_batch.size(); ++i)
      made.loops.push_back({.out = place++, .in = pair(a_batch[i], b_batch[i])});
    for (std::size_t i = 0; i < a_contract.size(); ++i)
      made.loops.push_back(kernels::summed(pair(a_contract[i], b_contract[i])));
    for (std::size_t axis = 0; axis < a.size(); ++axis)
      if (a_free[axis]) made.loops.push_back({.out = place++, .in = {axis, Axis()}});
    for (std::size_t axis = 0; axis < b.size(); ++axis)
      if (b_free[axis]) made.loops.push_back({.out = place++, .in = {Axis(), axis}});
    return made;
  }
  bool operator==(const DotGeneral&) const = default;

 private:
  /// Where an axis of x stands in a list of axes.
  static std::optional<kernels::Label> place(const Shape& x, const std::vector<std::int64_t>& list, std::size_t axis) {
    for (std::size_t i = 0; i < list.size(); ++i)
      if (x.axis(list[i]) == axis) return static_cast<kernels::Label>(i);
    return std::nullopt;
  }
  static kernels::Labelled labelled(const Shape& x, const std::vector<std::int64_t>& batch,
                                    const std::vector<std::int64_t>& contract, kernels::Label free) {
    kernels::Labelled made;
    const auto strides = x.strides();
    for (std::size_t axis = 0; axis < x.size(); ++axis) {
      const auto in_batch = place(x, batch, axis), summed = place(x, contract, axis);
      const kernels::Label label = in_batch ? *in_batch
                                   : summed ? 50 + *summed
                                            : free + static_cast<kernels::Label>(axis);
      made.add(label, x[axis], strides[axis]);
    }
    return made;
  }
};

}  // namespace plumb::ir::ops
