// Judges a softmax that is right, and one of which an element is off, by what is installed.
#include <cmath>
#include <iostream>

#include "ir/ops/softmax.hpp"
#include "library/open_candidate.hpp"
#include "library/verify.hpp"
#include "parity/foreign/callback.hpp"

using namespace plumb;

int main(int, char** arguments) {
  const ir::Op softmax = ir::ops::Softmax{};
  const ir::Tensor x = ir::Tensor::of<float>({1, 3}, {1, 2, 3});
  const ir::TensorTypes types = {x.type()};
  for (const float off : {0.f, 1e-4f}) {
    const ir::Tensor y = ir::Tensor::of<float>({1, 3}, {0.09003057f, 0.24472847f, 0.66524096f + off});
    const auto given = library::check(softmax, {x}, {y});
    const auto mine = parity::foreign::candidate_of(
        [&](ir::Feeds&, const auto&) { return parity::foreign::AnsweredValues{{"y", y}}; }, {.name = "mine"});
    const auto called = library::verify(ir::graph_of(softmax, types), {{"x0", x}}, *mine);
    std::cout << "off by " << off << ": " << ir::enum_name(given.verdict) << ' ' << ir::enum_name(called.verdict) << ' '
              << static_cast<int>(library::outcome_of(given).exit) << '\n';
  }
  const auto cpu = library::open_candidate("cpu");
  const auto model = library::read_model(arguments[1]);
  std::cout << "model: " << ir::enum_name(library::verify(model, *cpu.executor).verdict) << '\n';
}
