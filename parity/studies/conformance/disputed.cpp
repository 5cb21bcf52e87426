// Each dispute was settled by hand from the case's own inputs; the names are those of ONNX 1.12 and 1.17.
#include "parity/studies/conformance/disputed.hpp"

#include <algorithm>

namespace plumb::parity::studies::conformance {
namespace {

constexpr std::string_view wraps =
    "the file expects products beyond int8 modulo 256 (-236 is 20); QLinearMatMul saturates (-128)";
constexpr std::string_view counts_beyond =
    "the file divides by the whole window where ceil_mode lets it hang over the padding; count_include_pad counts what "
    "is padded, and nothing beyond";

constexpr std::string_view drawn_elsewhere =
    "the file's mask was drawn by NumPy's generator; ONNX leaves open which numbers are drawn";

constexpr std::string_view rounds_beside_zero =
    "the file has what an FFT in float32 rounds, up to 2e-7, where the transform is 0; its tolerance there is 1e-7";

constexpr std::string_view cuts_off =
    "the file has bfloat16 with the lower 16 bits cut off; ONNX rounds to the nearest, ties to even";

constexpr std::string_view like_of_one = "the file feeds a 'like' of one element, and its model declares one of 12";

struct Dispute {
  std::string_view folder, why;
};

constexpr Dispute disputes[] = {
    {"test_averagepool_3d_dilations_large_count_include_pad_is_1_ceil_mode_is_True", counts_beyond},
    {"test_cast_FLOAT_to_BFLOAT16", cuts_off},
    {"test_castlike_BFLOAT16_to_FLOAT", like_of_one},
    {"test_castlike_BFLOAT16_to_FLOAT_expanded", like_of_one},
    {"test_castlike_FLOAT_to_BFLOAT16", like_of_one},
    {"test_castlike_FLOAT_to_BFLOAT16_expanded", like_of_one},
    {"test_dft_inverse", rounds_beside_zero},
    {"test_dft_inverse_opset19", rounds_beside_zero},
    {"test_qlinearmatmul_2D_int8_float16", wraps},
    {"test_qlinearmatmul_2D_int8_float32", wraps},
    {"test_qlinearmatmul_3D_int8_float16", wraps},
    {"test_qlinearmatmul_3D_int8_float32", wraps},
    {"test_training_dropout", drawn_elsewhere},
    {"test_training_dropout_default", drawn_elsewhere},
    {"test_training_dropout_default_mask", drawn_elsewhere},
    {"test_training_dropout_mask", drawn_elsewhere},
};

}  // namespace

std::string_view dispute(std::string_view name) {
  const std::string_view folder = name.substr(name.find_last_of('/') + 1);  // npos + 1 is 0
  const auto found = std::ranges::find(disputes, folder, &Dispute::folder);
  return found == std::end(disputes) ? std::string_view() : found->why;
}

}  // namespace plumb::parity::studies::conformance
