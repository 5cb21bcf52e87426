#pragma once

#include <vector>

#include "ir/ops/col2im.hpp"
#include "ir/ops/conv_transpose.hpp"

namespace plumb::testing {

struct TransposeCase {
  const char* what;
  ir::Shape x, w;
  ir::ops::ConvTranspose op;
};

inline std::vector<TransposeCase> transpose_cases() {
  return {
      {"one axis", {2, 3, 17}, {3, 4, 3}, {}},
      {"upsampling by two", {1, 5, 7, 6}, {5, 3, 4, 4}, {.strides = {2, 2}, .pads = {1, 1, 1, 1}}},
      {"output padding",
       {1, 2, 5, 4},
       {2, 3, 3, 3},
       {.strides = {2, 3}, .pads = {1, 1, 1, 1}, .output_padding = {1, 2}, .has_bias = true}},
      {"dilations", {2, 2, 5, 6}, {2, 2, 3, 2}, {.dilations = {2, 3}, .output_padding = {1, 2}}},
      {"stride and dilation with a common divisor",
       {1, 2, 5, 6},
       {2, 3, 4, 5},
       {.strides = {4, 6}, .dilations = {2, 4}, .pads = {3, 0, 1, 5}}},
      {"asymmetric pads", {1, 3, 6, 5}, {3, 2, 4, 3}, {.strides = {3, 2}, .pads = {0, 2, 3, 1}}},
      {"stride beyond the kernel", {1, 2, 4, 3}, {2, 2, 2, 1}, {.strides = {5, 4}, .has_bias = true}},
      {"groups", {2, 6, 4, 5}, {6, 2, 3, 3}, {.strides = {2, 1}, .group = 3, .has_bias = true}},
      {"depthwise", {1, 4, 6, 7}, {4, 1, 4, 4}, {.strides = {2, 2}, .pads = {1, 1, 1, 1}, .group = 4}},
      {"three axes",
       {1, 2, 3, 4, 2},
       {2, 3, 2, 3, 2},
       {.strides = {2, 1, 3}, .dilations = {1, 2, 2}, .pads = {1, 0, 0, 0, 2, 1}, .output_padding = {0, 1, 2}}},
      {"many channels", {1, 130, 5, 4}, {130, 3, 3, 3}, {.strides = {2, 2}}},
      {"pads that leave one element", {1, 2, 3}, {2, 2, 3}, {.pads = {2, 2}}},
      {"no image", {0, 2, 3}, {2, 2, 3}, {}},
      {"no filter", {1, 2, 3}, {2, 0, 3}, {}},
      {"no channel", {1, 0, 3}, {0, 2, 3}, {.has_bias = true}},
      {"no row left", {1, 2, 3}, {2, 2, 1}, {.pads = {1, 2}}},
      {"a large map", {2, 8, 31, 33}, {8, 5, 4, 4}, {.strides = {2, 2}, .pads = {1, 1, 1, 1}, .has_bias = true}},
  };
}

struct FoldCase {
  const char* what;
  ir::Shape x;
  ir::ops::Col2im op;
};

inline std::vector<FoldCase> fold_cases() {
  return {
      {"one axis", {2, 3 * 4, 8}, {.image_shape = {10}, .kernel_shape = {3}}},
      {"tiles", {1, 2 * 6, 4}, {.image_shape = {4, 6}, .kernel_shape = {2, 3}, .strides = {2, 3}}},
      {"overlapping", {2, 3 * 9, 30}, {.image_shape = {7, 8}, .kernel_shape = {3, 3}}},
      {"gaps", {1, 2 * 4, 6}, {.image_shape = {8, 7}, .kernel_shape = {2, 2}, .strides = {3, 4}}},
      {"dilated, padded",
       {1, 2 * 6, 7 * 3},
       {.image_shape = {5, 6}, .kernel_shape = {3, 2}, .strides = {1, 2}, .dilations = {2, 3}, .pads = {4, 1, 2, 1}}},
      {"three axes",
       {1, 2 * 12, 3 * 3 * 2},
       {.image_shape = {5, 3, 6}, .kernel_shape = {2, 3, 2}, .strides = {2, 1, 3}, .pads = {1, 1, 0, 0, 1, 0}}},
      {"no image", {0, 4, 3}, {.image_shape = {4}, .kernel_shape = {2}}},
      {"no channel", {2, 0, 3}, {.image_shape = {4}, .kernel_shape = {2}}},
      {"nothing but pads", {1, 4, 1}, {.image_shape = {0}, .kernel_shape = {2}, .pads = {1, 1}}},
      {"many planes", {3, 70 * 4, 36}, {.image_shape = {7, 7}, .kernel_shape = {2, 2}}},
  };
}

}  // namespace plumb::testing
