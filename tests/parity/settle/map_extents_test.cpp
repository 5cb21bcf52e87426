#include <gtest/gtest.h>

#include "parity/settle/subject.hpp"
#include "tests/parity/small_case.hpp"

namespace plumb::parity::map_extents_test {
namespace {

compare::MapExtents extents_of(std::string_view inputs, std::string_view node) {
  const auto subject = testing::make_case(ir::cat(R"({"format": "plumb.graph/1", "why": "one", "inputs": )", inputs,
                                                  R"(, "nodes": [)", node, R"(], "results": ["y"]})"));
  return settle::map_extents(subject.file->graph, subject.file->graph.results().front());
}

TEST(MapExtents, AreThoseOfTheProductThatAKernelMakes) {
  EXPECT_EQ(extents_of(R"({"a": {"type": "f32[3, 5, 7]"}, "b": {"type": "f32[3, 7, 2]"}})",
                       R"({"label": "y", "op": "matmul", "inputs": ["a", "b"]})"),
            (compare::MapExtents{5, 2}));
  EXPECT_EQ(extents_of(R"({"x": {"type": "f32[2, 3, 6, 5]"}, "w": {"type": "f32[4, 3, 3, 3]"}})",
                       R"({"label": "y", "op": "conv", "inputs": ["x", "w"]})"),
            (compare::MapExtents{4, 12}));  // channels and pixels
  EXPECT_EQ(extents_of(R"({"x": {"type": "f32[9]"}})", R"({"label": "y", "op": "softmax", "inputs": ["x"]})"),
            (compare::MapExtents{1, 9}));
}

}  // namespace
}  // namespace plumb::parity::map_extents_test
