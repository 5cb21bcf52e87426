#include "tests/parity/small_case.hpp"

namespace plumb::testing {

parity::Case make_case(std::string_view text, std::uint64_t seed) {
  const auto file = std::make_shared<const ir::GraphFile>(ir::parse_graph(text, "."));
  return {.name = "small.json", .file = file, .feeds = ir::materialise(*file, seed), .seed = seed};
}

parity::CaseResult verify_on(Suspect& suspect, const parity::Case& subject, const parity::VerifyOptions& options) {
  parity::Observer nobody;
  return verify_on(suspect, subject, options, nobody);
}

parity::CaseResult verify_on(Suspect& suspect, const parity::Case& subject, const parity::VerifyOptions& options,
                             parity::Observer& observer) {
  ref_cpu::CpuExecutor reference;
  return parity::verify(subject, {.reference = reference, .candidate = &suspect}, options, observer);
}

Suspect spoiler(const std::string& label, std::function<void(ir::Tensor&)> spoil) {
  Suspect suspect;
  suspect.tamper = [=](const ir::Node& at, ir::Tensor& output) {
    if (at.label == label) spoil(output);
  };
  return suspect;
}

}  // namespace plumb::testing
