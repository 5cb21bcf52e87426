// MelWeightMatrix, which follows from its parameters alone (ops.md F).

#include <cmath>

#include "ir/convert.hpp"
#include "ir/formats/onnx/node_reader.hpp"

namespace plumb::ir::from_onnx {
namespace {

constexpr double most = 1 << 24;  ///< bands and bins; what a file may take bounds their product

double number(NodeReader& node, std::size_t i, std::string_view name) {
  const auto values = node.known_reals(i, name);
  require(values.size() == 1, name, " must be one number, got ", values.size());
  return values[0];
}

std::int64_t whole(NodeReader& node, std::size_t i, std::string_view name) {
  const double value = number(node, i, name);
  require(1 <= value && value <= most, name, " must be at least 1 and at most ", most, ", got ", value);
  return static_cast<std::int64_t>(value);
}

double mel(double hertz) { return 2595 * std::log10(1 + hertz / 700); }

/// Rises from bin `first` to `centre`, falls to `last`; column `band` of `weights`.
void add_band(std::span<double> weights, std::int64_t bands, std::int64_t band, const std::int64_t (&bin)[3]) {
  const auto set = [&](std::int64_t at, double weight) {
    const auto bins = static_cast<std::int64_t>(weights.size()) / bands;
    require(0 <= at && at < bins, "a band reaches bin ", at, " of ", bins);
    weights[static_cast<std::size_t>(at * bands + band)] = weight;
  };
  const auto [first, centre, last] = bin;
  if (first == centre) set(centre, 1);
  for (auto at = first; at <= centre && first < centre; ++at)
    set(at, static_cast<double>(at - first) / static_cast<double>(centre - first));
  for (auto at = centre; at < last; ++at) set(at, static_cast<double>(last - at) / static_cast<double>(last - centre));
}

void mel_weights(NodeReader& node) {
  const auto bands = whole(node, 0, "num_mel_bins"), length = whole(node, 1, "dft_length"),
             rate = whole(node, 2, "sample_rate");
  const double low = mel(number(node, 3, "lower_edge_hertz")), high = mel(number(node, 4, "upper_edge_hertz"));
  const Shape shape{length / 2 + 1, bands};
  node.take({DType::f64, shape});
  Tensor weights({DType::f64, shape});
  const auto bin = [&](std::int64_t i) {
    const double point = low + static_cast<double>(i) * ((high - low) / static_cast<double>(bands + 2));
    const double hertz = 700 * (std::pow(10.0, point / 2595) - 1);
    const double place = static_cast<double>(length + 1) * hertz / static_cast<double>(rate);
    // Round edges lie on bins. There and back by logarithms they would be an ulp or some off.
    return convert_value<std::int64_t>(std::floor(place * (1 + 0x1p-44)));
  };
  for (std::int64_t band = 0; band < bands; ++band)
    add_band(weights.as<double>(), bands, band, {bin(band), bin(band + 1), bin(band + 2)});
  node.out(0, node.constant(ir::convert(weights, dtype_of(node.integer("output_datatype", 1)))));
}

}  // namespace

std::span<const Converter> mel_weights_converters() {
  static constexpr Converter table[] = {{"MelWeightMatrix", mel_weights}};
  return table;
}

}  // namespace plumb::ir::from_onnx
