#pragma once

#include "ir/kernels/op_loops.hpp"
#include "ir/kernels/scatter.hpp"

namespace plumb::ir::ops {

/// Slices put at tuples of indices (ops.md 4, ONNX ScatterND-18).
struct ScatterNd {
  kernels::ScatterReduction reduction = kernels::ScatterReduction::none;

  static constexpr auto name = "scatter_nd";
  static constexpr auto summary = "slices put at tuples of indices";
  static constexpr auto formula =
      "y = x, then for every i in row-major order y[indices[i.., 0], .., indices[i.., m-1], j..] = f(that, "
      "updates[i.., "
      "j..]): of equal targets the last wins where `reduction` is none. A negative index counts from the end of its "
      "axis";
  static constexpr int tier = 2;
  static constexpr std::array inputs = {Input{"x", dtypes::any, "[m axes.., j..]"},
                                        Input{"indices", dtypes::X, "[i.., m]"},
                                        Input{"updates", dtypes::any, "[i.., j..]", "x"}};
  static constexpr std::array outputs = {Output{"y", "as x"}};
  static constexpr std::array<std::string_view, 3> checks = {
      "the last extent of indices must be at least 1 and at most the rank of x",
      "updates must be a slice of x for every tuple of indices",
      "x must be an integer or float tensor where updates are reduced"};
  static constexpr auto fields = std::tuple{
      Field{"reduction", &ScatterNd::reduction, "f: an update replaces the slice, or is combined with it"},
  };

  TensorTypes infer(Types in) const {
    const Shape &x = in[0].shape, &q = in[1].shape;
    const std::int64_t m = q.empty() ? 0 : q.back();
    check(*this, 1, 1 <= m && m <= x.rank(), "x is ", in[0], ", indices are ", in[1]);
    Shape wanted = q.leading(q.size() - 1);
    wanted.insert(wanted.end(), x.begin() + m, x.end());
    check(*this, 2, in[2].shape == wanted, "x is ", in[0], ", indices are ", in[1], ", updates are ", in[2],
          ", wanted ", wanted);
    check(*this, 3, reduction == kernels::ScatterReduction::none || dtypes::N.contains(in[0].dtype), "x is ", in[0],
          ", reduction is ", enum_name(reduction));
    return {in[0]};
  }
  ErrorClass error_class() const { return kernels::error_class_of(reduction); }
  Cost cost(Types in, Types) const {
    const std::int64_t most = in[1].shape.leading(in[1].shape.size() - 1).elements();  // updates per target at most
    return {static_cast<double>(in[2].shape.elements()), reduction == kernels::ScatterReduction::none ? 0 : most + 1};
  }
  Loops loops(Types in, Types) const {
    // All indices of a tuple are in the range of the shortest of its axes.
    const auto first = in[0].shape.begin();
    const std::int64_t shortest = *std::min_element(first, first + in[1].shape.back());
    Loops made{.operands = {{}, kernels::index_along(shortest), kernels::updates_of(reduction)}};
    if (reduction == kernels::ScatterReduction::add)
      for (std::size_t a = 0; a + 1 < in[1].shape.size(); ++a) made.loops.push_back(kernels::summed({Axis(), a, a}));
    return made;
  }
  bool operator==(const ScatterNd&) const = default;
};

}  // namespace plumb::ir::ops
