// Writes the GLSL of a region: loads, one expression a step, stores, for packs of elements and for single ones.
#include "gpu_vulkan/region/source.hpp"

#include <set>

#include "ir/ops/binary.hpp"
#include "ir/ops/cast.hpp"
#include "ir/ops/compare.hpp"
#include "ir/ops/unary.hpp"
#include "ir/ops/where.hpp"

namespace plumb::gpu_vulkan::region {
namespace {

using namespace ir::ops;
using ir::DType;

bool is_short_float(DType dtype) { return dtype == DType::f32 || dtype == DType::f16 || dtype == DType::bf16; }
bool is_computed(DType dtype) { return is_short_float(dtype) || dtype == DType::i32 || dtype == DType::boolean; }
std::size_t bytes_of(DType dtype) { return ir::info(dtype).bytes; }

/// The text of one kernel as it grows.
class Writer {
 public:
  Writer(const fused_ops::Region& region, const std::vector<DType>& inputs) : region_(region), inputs_(inputs) {}
  std::string text();

 private:
  std::string step(std::size_t s);
  std::string value(std::size_t v) const {
    return v < inputs_.size() ? ir::cat('x', v) : ir::cat('s', v - inputs_.size());
  }
  DType dtype(std::size_t v) const { return v < inputs_.size() ? inputs_[v] : region_.steps[v - inputs_.size()].dtype; }
  DType result(std::size_t r) const { return region_.steps[region_.results[r]].dtype; }
  /// "f16_of(s3)": what is computed with.
  std::string operand(std::size_t v) const { return ir::cat(ir::info(dtype(v)).name, "_of(", value(v), ')'); }
  std::string list(std::string_view before, std::size_t count, std::string_view after) const;
  /// Code of the folder glsl, for numbers held as `computed` under the name of `variant`.
  void include(std::string_view file, std::string_view computed = {}, std::string_view variant = {});

  void buffers(std::string& text) const;
  void element(std::string& text);
  void reads(std::string& text) const;
  void whole(std::string& text) const;
  void tail(std::string& text) const;

  const fused_ops::Region& region_;
  const std::vector<DType>& inputs_;
  std::set<std::string> included_;
  std::string includes_;
};

void Writer::include(std::string_view file, std::string_view computed, std::string_view variant) {
  std::string text;
  if (!computed.empty()) text += ir::cat("#define COMPUTED ", computed, '\n');
  if (!variant.empty()) text += ir::cat("#define ", variant, " 1\n");
  text += ir::cat("#include \"", file, "\"\n");
  if (!computed.empty()) text += "#undef COMPUTED\n";
  if (!variant.empty()) text += ir::cat("#undef ", variant, '\n');
  if (included_.insert(text).second) includes_ += text;
}

std::string Writer::step(std::size_t s) {
  const fused_ops::RegionStep& step = region_.steps[s];
  const auto& in = step.operands;
  const DType from = dtype(in[0]);
  const bool real = is_short_float(from), integer = from == DType::i32;
  const auto result_bits = [&](const auto&... parts) {
    return ir::cat(ir::info(step.dtype).name, "_bits(", parts..., ')');
  };
  if (step.op.is<Where>()) return ir::cat("bool_of(", value(in[0]), ") ? ", value(in[1]), " : ", value(in[2]));
  if (step.op.is<Cast>()) {
    include("gpu_vulkan/glsl/convert.glsl");
    const auto mask = bytes_of(step.dtype) == 1 ? " & 0xFFu" : bytes_of(step.dtype) == 2 ? " & 0xFFFFu" : "";
    return ir::cat("convert(uvec2(", value(in[0]), ", 0u), ", unsigned(from), "u, ", unsigned(step.dtype), "u).x",
                   mask);
  }
  if (step.op.is<Unary>()) {
    const auto function = step.op.as<Unary>().function;
    if (from == DType::boolean) return result_bits('!', operand(in[0]));
    if (real)
      include("gpu_vulkan/kernels/elementwise/unary_real.glsl", "float");
    else
      include("gpu_vulkan/kernels/elementwise/unary_functions.glsl");
    const auto of = from == DType::f16 && function == UnaryFunction::gelu ? "_f16(" : "(";
    if (real) return result_bits("real_", ir::enum_name(function), of, operand(in[0]), ')');
    include("gpu_vulkan/kernels/elementwise/unary_integer.glsl", "int");
    return result_bits("unary_integer(", unsigned(function), "u, ", operand(in[0]), ')');
  }
  const std::string both = operand(in[0]) + ", " + operand(in[1]);
  if (step.op.is<Compare>()) {
    if (real)
      include("gpu_vulkan/kernels/elementwise/compare.glsl", "float", "VARIANT_f32");
    else if (integer)
      include("gpu_vulkan/kernels/elementwise/compare.glsl", "int", "VARIANT_i32");
    else
      include("gpu_vulkan/kernels/elementwise/compare.glsl", "bool", "VARIANT_bool");
    return result_bits("compared(", unsigned(step.op.as<Compare>().function), "u, ", both, ')');
  }
  const auto function = step.op.as<Binary>().function;
  if (real) {
    include("gpu_vulkan/kernels/elementwise/binary_real.glsl", "float");
    return result_bits("real_", ir::enum_name(function), '(', both, ')');
  }
  if (integer)
    include("gpu_vulkan/kernels/elementwise/binary_integer.glsl", "int");
  else
    include("gpu_vulkan/kernels/elementwise/binary_functions.glsl");
  return result_bits(integer ? "binary_integer(" : "binary_bool(", unsigned(function), "u, ", both, ')');
}

std::string Writer::list(std::string_view before, std::size_t count, std::string_view after) const {
  std::string text;
  for (std::size_t k = 0; k < count; ++k) text += ir::cat(k == 0 ? "" : ", ", before, k, after);
  return text;
}

void Writer::buffers(std::string& text) const {
  constexpr std::array<std::string_view, 5> one = {"", "uint8_t", "uint16_t", "", "uint"};
  const auto buffer = [&](std::size_t binding, std::string_view access, std::string_view name, std::size_t k,
                          DType type) {
    const auto size = bytes_of(type);
    text += ir::cat("layout(set = 0, binding = ", binding, ") ", access, " buffer One_", name, k, " { ", one[size],
                    " one_", name, k, "[]; };\nlayout(set = 0, binding = ", binding, ") ", access, " buffer Packed_",
                    name, k, " { ", size == 1 ? "uvec2" : "uvec4", " packed_", name, k, "[]; };\n");
  };
  for (std::size_t k = 0; k < inputs_.size(); ++k) buffer(k, "readonly", "x", k, inputs_[k]);
  for (std::size_t k = 0; k < region_.results.size(); ++k) buffer(inputs_.size() + k, "writeonly", "y", k, result(k));
}

void Writer::element(std::string& text) {
  text += "struct Results { ";
  for (std::size_t r = 0; r < region_.results.size(); ++r) text += ir::cat("uint y", r, "; ");
  text += ir::cat("};\nResults element(", list("uint x", inputs_.size(), ""), ") {\n");
  for (std::size_t s = 0; s < region_.steps.size(); ++s) text += ir::cat("  const uint s", s, " = ", step(s), ";\n");
  text += "  return Results(";
  for (std::size_t r = 0; r < region_.results.size(); ++r) text += ir::cat(r == 0 ? "s" : ", s", region_.results[r]);
  text += ");\n}\n";
}

void Writer::reads(std::string& text) const {
  for (std::size_t k = 0; k < inputs_.size(); ++k) {
    const auto p = ir::cat("packed_x", k);
    const auto size = bytes_of(inputs_[k]);
    const auto all = size == 1   ? ir::cat("from_bytes(", p, "[at])")
                     : size == 2 ? ir::cat("from_halves(", p, "[at])")
                                 : ir::cat("Unit(", p, "[2u * at], ", p, "[2u * at + 1u])");
    text += ir::cat("Unit read_", k, "(uint at) {\n  if (is_dense(", k, "u)) return ", all,
                    ";\n  return stretched(uint(one_x", k, "[at]));\n}\n");
  }
}

void Writer::whole(std::string& text) const {
  constexpr std::array<std::string_view, 8> places = {".low.x",  ".low.y",  ".low.z",  ".low.w",
                                                      ".high.x", ".high.y", ".high.z", ".high.w"};
  text += "  if (is_packed && n == 8u) {\n";
  for (std::size_t k = 0; k < inputs_.size(); ++k)
    text += ir::cat("    const Unit x", k, " = read_", k, "(at[", k, "]);\n");
  for (std::size_t i = 0; i < places.size(); ++i)
    text += ir::cat("    const Results e", i, " = element(", list("x", inputs_.size(), places[i]), ");\n");
  for (std::size_t r = 0; r < region_.results.size(); ++r) {
    const auto of = [&](std::size_t i) { return ir::cat('e', i, ".y", r); };
    const auto four = [&](std::size_t i) {
      return ir::cat("uvec4(", of(i), ", ", of(i + 1), ", ", of(i + 2), ", ", of(i + 3), ')');
    };
    const auto unit = ir::cat("Unit(", four(0), ", ", four(4), ')'), y = ir::cat("packed_y", r);
    const auto size = bytes_of(result(r));
    if (size == 4)
      text += ir::cat("    ", y, "[2u * q] = ", four(0), ";\n    ", y, "[2u * q + 1u] = ", four(4), ";\n");
    else
      text += ir::cat("    ", y, "[q] = ", size == 1 ? "to_bytes(" : "to_halves(", unit, ");\n");
  }
  text += "    return;\n  }\n";
}

void Writer::tail(std::string& text) const {
  text += "  for (uint i = 0; i < n; ++i) {\n    const Results e = element(";
  for (std::size_t k = 0; k < inputs_.size(); ++k)
    text +=
        ir::cat(k == 0 ? "" : ", ", "uint(one_x", k, "[is_dense(", k, "u) ? at[", k, "] * width + i : at[", k, "]])");
  text += ");\n";
  for (std::size_t r = 0; r < region_.results.size(); ++r) {
    const auto size = bytes_of(result(r));
    text += ir::cat("    one_y", r, "[q * width + i] = ",
                    size == 1   ? "uint8_t"
                    : size == 2 ? "uint16_t"
                                : "uint",
                    "(e.y", r, ");\n");
  }
  text += "  }\n";
}

std::string Writer::text() {
  std::string body;
  buffers(body);
  element(body);
  reads(body);
  body +=
      "void main() {\n  const uint q = invocation_index(), n = elements_in(q);\n  if (n == 0u) return;\n"
      "  uint at[INPUTS];\n  locate(q, at);\n";
  whole(body);
  tail(body);
  body += "}\n";
  return ir::cat("#version 450\n#extension GL_GOOGLE_include_directive : require\n#define INPUTS ", inputs_.size(),
                 "\n#include \"gpu_vulkan/glsl/region.glsl\"\n", includes_, body);
}

}  // namespace

bool is_step(const ir::Op& op, const std::vector<DType>& operands, DType result) {
  if (op.is<Where>()) return bytes_of(result) <= 4;
  if (op.is<Cast>()) return bytes_of(operands[0]) <= 4 && bytes_of(result) <= 4 && operands[0] != result;
  return (op.is<Unary>() || op.is<Binary>() || op.is<Compare>()) && is_computed(operands[0]);
}

std::size_t weight_of(const ir::Op& op, DType operand) {
  if (!is_short_float(operand) || op.is<Compare>() || op.is<Where>()) return 1;
  if (op.is<Cast>()) return 2;
  if (op.is<Binary>()) {
    switch (op.as<Binary>().function) {
      case BinaryFunction::add:
      case BinaryFunction::subtract:
      case BinaryFunction::multiply:
      case BinaryFunction::maximum:
      case BinaryFunction::minimum:
        return 1;
      case BinaryFunction::divide:
        return 3;
      default:
        return 10;
    }
  }
  switch (op.as<Unary>().function) {
    case UnaryFunction::abs:
    case UnaryFunction::negate:
    case UnaryFunction::sign:
    case UnaryFunction::square:
    case UnaryFunction::floor:
    case UnaryFunction::ceil:
    case UnaryFunction::trunc:
    case UnaryFunction::round:
    case UnaryFunction::relu:
      return 1;
    case UnaryFunction::sin:
    case UnaryFunction::cos:
    case UnaryFunction::tan:
    case UnaryFunction::erf:
      return 10;
    default:
      return 4;
  }
}

std::string source_of(const fused_ops::Region& region, const std::vector<DType>& inputs) {
  return Writer(region, inputs).text();
}

}  // namespace plumb::gpu_vulkan::region
