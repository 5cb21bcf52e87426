#include "parity/report/map_text.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace plumb::parity::map_text_test {
namespace {

cases::NodeResult node_with(const ir::Shape& shape, const compare::RatioMap& map) {
  cases::NodeResult node;
  node.label = "y";
  node.op = "matmul";
  node.type = {ir::DType::f32, shape};
  node.verdict = core::Verdict::failed;
  node.local.worst.push_back({.ratio = 20});
  node.local.map = map;
  return node;
}

TEST(MapText, HasASignForEachLevel) {
  const double ratios[] = {0, 0x1p-6, 0x1p-4, 0x1p-2, 1, 1.001, 5, 17, 100, INFINITY};
  std::string signs;
  for (const double ratio : ratios) signs += report::map_signs[report::map_level(compare::RatioMap::code_of(ratio))];
  EXPECT_EQ(signs, report::map_signs);
}

TEST(MapText, LabelsBothAxes) {
  compare::MapBuilder map({200, 100});
  map.raise(100 * 150 + 50, 20);  // row 150, column 50
  EXPECT_EQ(report::map_text(node_with({200, 100}, map.finish())),
            "y (matmul) f32[200, 100]: failed, ratio 20\n"
            "200 rows of 100 columns; each sign is the largest error over its limit of a part\n"
            "row  0       25      50      75\n"
            "  0 |                                |\n"
            " 13 |                                |\n"
            " 25 |                                |\n"
            " 38 |                                |\n"
            " 50 |                                |\n"
            " 63 |                                |\n"
            " 75 |                                |\n"
            " 88 |                                |\n"
            "100 |                                |\n"
            "113 |                                |\n"
            "125 |                                |\n"
            "138 |                                |\n"
            "150 |                #               |\n"
            "163 |                                |\n"
            "175 |                                |\n"
            "188 |                                |\n"
            "' ' below 0.012, . below 0.037, : below 0.11, - below 0.34, = to the limit\n"
            "+ to 4 times the limit, * to 16, # to 64, % more, @ not finite\n");
}

/// Fewer rows and columns than signs have one each, and numbers of ones that are between are not cut into pieces.
TEST(MapText, HasNoMoreSignsThanThereAreElements) {
  compare::MapBuilder map({2, 3});
  map.raise(5, 3);
  const std::string text = report::map_text(node_with({2, 3}, map.finish()));
  EXPECT_NE(text.find("\nrow  0\n  0 |   |\n  1 |  +|\n"), std::string::npos) << text;
}

TEST(MapText, KeepsLabelsOfManyColumnsApart) {
  const std::string text = report::map_text(node_with({1, 40'000'000}, compare::MapBuilder({1, 40'000'000}).finish()));
  EXPECT_NE(text.find("\nrow  0       10000000        30000000\n"), std::string::npos) << text;
}

TEST(MapText, SaysThatThereIsNothing) {
  const std::string text = report::map_text(node_with({0, 3}, compare::MapBuilder({0, 3}).finish()));
  EXPECT_EQ(text, "y (matmul) f32[0, 3]: failed, ratio 20\nit has no elements\n");
}

}  // namespace
}  // namespace plumb::parity::map_text_test
