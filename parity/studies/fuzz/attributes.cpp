// Draws attributes by kind and name.
#include "parity/studies/fuzz/attributes.hpp"

#include <limits>

#include "parity/studies/fuzz/op_table.hpp"

namespace plumb::parity::studies::fuzz {
namespace {

using Amend = std::optional<ir::Op> (*)(const ir::Op&, Chooser&);

const ir::OpTable<Amend>& amendments() {
  static const auto all = Ops::table<Amend>([]<class T>() -> Amend {
    return [](const ir::Op& op, Chooser& choose) -> std::optional<ir::Op> {
      T changed = op.as<T>();
      amend(changed, choose);
      return changed;
    };
  });
  return all;
}

std::int64_t draw_int(std::string_view name, Chooser& choose) {
  if (name.ends_with("axis")) return choose.number({-1, -1, -1, 0, 1, 2, -2});
  if (name.ends_with("window_size")) return choose.number({-1, -1, 0, 1, 7, 16, 33});
  if (name == "block_size") return choose.number({0, 0, 2, 16, 32});
  if (name == "diagonal") return choose.number({-3, -1, 0, 0, 1, 4});
  if (name.ends_with("offset")) return choose.number({0, 0, 1, 5});
  if (name == "rotary_dim") return choose.number({0, 0, 2, 4, 8});
  if (name == "state_every") return choose.number({0, 0, 1, 3, 16});
  if (name == "batch_dims") return choose.number({0, 0, 1, 2});
  return choose.number({1, 2, 3, 4, 5, 7, 8});
}

double draw_real(std::string_view name, Chooser& choose) {
  if (name == "epsilon") return choose.one_of({1e-3, 1e-5, 1e-6, 1e-12});
  return choose.one_of({0.125, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0});
}

Whole draw_ints(std::string_view name, Chooser& choose) {
  if (name == "axes")
    return choose.one_of<Whole>({{-1}, {-1}, {0}, {1}, {0, 1}, {-1, -2}, {0, 2}, {-2}, {1, 2}, {0, 1, 2}});
  if (name == "shape") return choose.numbers(1 + choose.below(3), {1, 2, 3, 5, 8, 16, 17, 33});
  return choose.numbers(1 + choose.below(2), {1, 2, 3, 4, 5});
}

std::string draw_dtype(std::string_view name, Chooser& choose) {
  if (name == "index_dtype") return choose.once_in(2) ? "i32" : "i64";
  if (name != "to" && choose.once_in(2)) return choose.one_of<const char*>({"f32", "f32", "f16", "bf16", "f64"});
  return std::string(ir::info(static_cast<ir::DType>(choose.below(ir::dtype_count))).name);
}

/// Nothing where it is left at its default, or the kind cannot be drawn.
std::optional<ir::Attribute> draw(const ir::FieldInfo& field, Chooser& choose) {
  const bool is_required = field.presence == ir::Presence::required;
  const bool is_switch = field.name.starts_with("has_");
  if (field.kind == "bool") return choose.once_in(is_switch ? 2 : 3);
  if (!is_required && field.kind.ends_with('?') && !choose.once_in(4)) return {};
  if (!is_required && field.kind != "enum" && choose.once_in(2)) return {};
  if (field.kind == "enum") return std::string(choose.element(field.choices));
  if (field.kind.starts_with("dtype")) return draw_dtype(field.name, choose);
  if (field.kind.starts_with("int?") || field.kind == "int") return draw_int(field.name, choose);
  if (field.kind.starts_with("real?") || field.kind == "real") return draw_real(field.name, choose);
  if (field.kind == "ints" && (is_required || field.name == "axes")) return draw_ints(field.name, choose);
  if (field.kind == "string" && is_required) return std::string();
  if (field.kind == "bytes" && is_required) return ir::Bytes();
  return {};
}

}  // namespace

std::optional<ir::Op> draw_attributes(const ir::OpSchema& schema, Chooser& choose) try {
  ir::Attributes attributes;
  for (const ir::FieldInfo& field : schema.fields())
    if (auto drawn = draw(field, choose)) attributes.emplace(std::string(field.name), std::move(*drawn));
  ir::Op op = schema.read(attributes);
  const auto amendment = amendments().find(&schema);
  return amendment == amendments().end() ? op : amendment->second(op, choose);
} catch (const ir::Error&) {
  return std::nullopt;
}

}  // namespace plumb::parity::studies::fuzz
