#pragma once

#include "ir/executor.hpp"
#include "ir/ops/dequant_matmul.hpp"

namespace plumb::parity::bounds {

/// Numbers that limits take packed weights for: themselves, |W|, W², or |W| where that is below `normal`, else 0.
enum class PanelPart { value, magnitude, square, vanishing };

constexpr auto enum_names(PanelPart) {
  return std::array<std::string_view, 4>{"value", "magnitude", "square", "vanishing"};
}

/// A product with such numbers, so that an executor need not hold all of them at once: in f64 they take 8 bytes an
/// element, a packed weight half a byte. Only limits need it, so it is no op of the IR: it is in graphs that evaluate
/// limits, never in a file, and an executor runs it where somebody gave it a kernel (ref_cpu::CpuOptions). Without one
/// the numbers are results of nodes.
///
/// W are the f64 values of dequantize, rounded once more to weight_dtype, less those of a second set of packed operands
/// where `is_difference`. The result is x·part(W)ᵀ, with is_grouped each row by the matrix of its expert.
struct PanelProduct {
  ir::ops::PackedFormat format = ir::ops::PackedFormat::q8_0;
  std::int64_t block_size = 0;
  bool has_scales = false, has_zero_points = false;
  ir::ops::WeightDtype weight_dtype = ir::ops::WeightDtype::f32;
  PanelPart part = PanelPart::value;
  double normal = 0;
  bool is_difference = false, less_has_scales = false, less_has_zero_points = false, is_grouped = false;

  static constexpr auto name = "panel_product";
  static constexpr auto summary = "product with numbers that packed weights give";
  static constexpr auto formula = "y = x·part(W)ᵀ";
  static constexpr int tier = 3;
  static constexpr std::array inputs = {
      ir::Input{"x", ir::DTypes(ir::DType::f64), "[.., M, K]"},
      ir::Input{"codes", ir::DType::u8 | ir::DType::i8, "[.., N, row bytes]"},
      ir::Input{"scales", ir::dtypes::R | ir::DType::u8, "[.., N, ceil(K / block_size)]", {}, "has_scales"},
      ir::Input{"zero_points", ir::dtypes::R, "as scales", "scales", "has_zero_points"},
      ir::Input{"less_codes", ir::DType::u8 | ir::DType::i8, "as codes", "codes", "is_difference"},
      ir::Input{"less_scales", ir::dtypes::R | ir::DType::u8, "as scales", {}, "less_has_scales"},
      ir::Input{"less_zero_points", ir::dtypes::R, "as scales", {}, "less_has_zero_points"},
      ir::Input{"expert", ir::dtypes::X, "[M]", {}, "is_grouped"}};
  static constexpr std::array outputs = {ir::Output{"y", "f64 [.., M, N]"}};
  static constexpr std::array<std::string_view, 0> checks = {};
  static constexpr auto fields = std::tuple{
      ir::Field{"format", &PanelProduct::format, "how codes are packed"},
      ir::Field{"block_size", &PanelProduct::block_size, "elements that share a scale; 0: those of a row"},
      ir::Field{"has_scales", &PanelProduct::has_scales, "whether there are scales beside the codes"},
      ir::Field{"has_zero_points", &PanelProduct::has_zero_points, "whether there are zero points"},
      ir::Field{"weight_dtype", &PanelProduct::weight_dtype, "what weights are rounded to"},
      ir::Field{"part", &PanelProduct::part, "what they are taken for"},
      ir::Field{"normal", &PanelProduct::normal, "of `vanishing`: what is below it may vanish"},
      ir::Field{"is_difference", &PanelProduct::is_difference, "whether a second set of weights is taken off"},
      ir::Field{"less_has_scales", &PanelProduct::less_has_scales, "whether that has scales"},
      ir::Field{"less_has_zero_points", &PanelProduct::less_has_zero_points, "whether it has zero points"},
      ir::Field{"is_grouped", &PanelProduct::is_grouped, "whether rows have experts"},
  };

  ir::kernels::packed::Packing packing() const { return {format, block_size, has_scales, has_zero_points}; }

  ir::TensorTypes infer(ir::Types in) const {
    ir::Shape shape = in[0].shape;
    shape.back() = in[1].shape[in[1].shape.size() - 2];
    return {{ir::DType::f64, shape}};
  }
  ir::ErrorClass error_class() const { return ir::ErrorClass::dot; }
  bool operator==(const PanelProduct&) const = default;
};

/// The graph for this executor, in which products with all of such numbers became products by panels where it has a
/// kernel for these. Values keep their numbers; what made the numbers stays, and nobody reads it any more.
ir::Graph with_panel_products(const ir::Executor& executor, const ir::Graph& graph);

/// That graph, compiled; the graph itself where nothing in it is packed.
std::unique_ptr<ir::Executable> compile_by_panels(ir::Executor& executor, const ir::Graph& graph,
                                                  const ir::Capture& capture);

}  // namespace plumb::parity::bounds
