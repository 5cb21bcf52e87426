// Definitions that rotate heads: by a table of cosines and sines that positions choose from, or by such tables alone.
#include "ir/ops/rope.hpp"

#include "ir/ops/binary.hpp"
#include "ir/ops/concat.hpp"
#include "ir/ops/reshape.hpp"
#include "ir/ops/slice.hpp"
#include "ir/ops/unary.hpp"
#include "parity/check/flashinfer/problem.hpp"

namespace plumb::parity::check::flashinfer {
namespace {

using ir::DType;
using ir::Shape;
using ir::Value;

/// Columns of a value, along its last axis.
Value columns(Builder& builder, Value x, std::int64_t begin, std::int64_t count) {
  return builder.add("columns", ir::ops::Slice{.axes = {-1}, .starts = {begin}, .sizes = {count}, .steps = {}}, {x});
}

/// Whether pairs are (2i, 2i + 1) rather than (i, i + n/2): an input says so, or else the name does, or --attr.
bool is_interleaved(const Builder& builder) {
  if (builder.has_input("is_neox")) return !builder.truth("is_neox");
  const std::string& name = builder.definition().name;
  const auto given = builder.constants().truth("interleaved");
  if (given) return *given;
  if (name.find("neox") != name.npos) return false;
  if (name.find("gptj") != name.npos || name.find("interleaved") != name.npos) return true;
  refuse(builder.definition(), "its name says neither neox nor gptj; say --attr interleaved=true or false");
}

/// q and k [T, H, D] rotated by the rows of cos_sin_cache [P, n] that positions [T] name.
void by_cache(Builder& builder) {
  std::vector<std::string> inputs = {"q", "k", "cos_sin_cache", "positions"};
  if (builder.has_input("is_neox")) inputs.emplace_back("is_neox");
  builder.expect(inputs, {"q_out", "k_out"});
  const Shape table = builder.shape("cos_sin_cache", 2);
  builder.feed_indices("positions", table[0]);
  const Value cache = builder.cast(builder.value("cos_sin_cache"), DType::f32);
  const std::int64_t half = table[1] / 2;
  const Value cos = columns(builder, cache, 0, half), sin = columns(builder, cache, half, half);
  const ir::ops::Rope rope{.layout = ir::ops::RopeLayout::bshd,
                           .interleaved = is_interleaved(builder),
                           .rotary_dim = table[1],
                           .has_positions = true};
  for (const std::string name : {"q", "k"}) {
    const Shape shape = builder.shape(name, 3);
    const Value x = builder.reshape(builder.cast(builder.value(name), DType::f32), {1, shape[0], shape[1], shape[2]});
    const Value y = builder.add(name + ".rotated", rope, {x, cos, sin, builder.value("positions")});
    const DType stored = builder.definition().output(name + "_out")->dtype;
    builder.result(name + "_out", ir::ops::Reshape{{shape[0], shape[1], shape[2]}}, {builder.cast(y, stored)});
  }
}

/// q and k [B, H, S, D]: x·cos + rotate_half(x)·sin, where cos and sin are [S, D] or [B, S, D], in f32 and rounded
/// once.
void by_tables(Builder& builder) {
  using ir::ops::Binary;
  using ir::ops::BinaryFunction;
  builder.expect({"q", "k", "cos", "sin"}, {"q_embed", "k_embed"});
  const auto table = [&](const std::string& name) {
    const Value value = builder.cast(builder.value(name), DType::f32);
    const Shape shape = builder.type(value).shape;
    return shape.size() == 3 ? builder.reshape(value, {shape[0], 1, shape[1], shape[2]}) : value;
  };
  const Value cos = table("cos"), sin = table("sin");
  for (const std::string name : {"q", "k"}) {
    const std::int64_t half = builder.shape(name, 4)[3] / 2;
    const Value x = builder.cast(builder.value(name), DType::f32);
    const Value second = columns(builder, x, half, half), first = columns(builder, x, 0, half);
    const Value negated = builder.add("negated", ir::ops::Unary{ir::ops::UnaryFunction::negate}, {second});
    const Value turned = builder.add(name + ".turned", ir::ops::Concat{-1}, {negated, first});
    const Binary multiply{BinaryFunction::multiply};
    builder.result(
        name + "_embed", Binary{BinaryFunction::add},
        {builder.add(name + ".cos", multiply, {x, cos}), builder.add(name + ".sin", multiply, {turned, sin})});
  }
}

}  // namespace

void build_rope(Builder& builder) { builder.has_input("cos_sin_cache") ? by_cache(builder) : by_tables(builder); }

}  // namespace plumb::parity::check::flashinfer
