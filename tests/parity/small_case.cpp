#include "tests/parity/small_case.hpp"

#include "library/reference.hpp"

namespace plumb::testing {

parity::cases::Case make_case(std::string_view text, std::uint64_t seed) {
  const auto file = std::make_shared<const ir::formats::GraphFile>(ir::formats::parse_graph(text, "."));
  return {.name = "small.json", .file = file, .feeds = ir::formats::materialise(*file, seed), .seed = seed};
}

parity::cases::CaseResult verify_on(Suspect& suspect, const parity::cases::Case& subject,
                                    const parity::verify::VerifyOptions& options) {
  parity::cases::Observer nobody;
  return verify_on(suspect, subject, options, nobody);
}

parity::cases::CaseResult verify_on(Suspect& suspect, const parity::cases::Case& subject,
                                    const parity::verify::VerifyOptions& options, parity::cases::Observer& observer) {
  ref_cpu::CpuExecutor reference = library::reference_executor();
  return parity::verify::verify(subject, {.reference = reference, .candidate = &suspect}, options, observer);
}

const parity::cases::NodeResult& node(const parity::cases::CaseResult& result, std::string_view name) {
  for (const parity::cases::NodeResult& one : result.nodes)
    if (one.name() == name) return one;
  throw std::runtime_error("no such node: " + std::string(name));
}

std::vector<std::string> labels_with(const parity::cases::CaseResult& result, parity::core::Verdict verdict) {
  std::vector<std::string> labels;
  for (const parity::cases::NodeResult& one : result.nodes)
    if (one.verdict == verdict) labels.push_back(one.name());
  return labels;
}

Suspect spoiler(const std::string& label, std::function<void(ir::Tensor&)> spoil) {
  Suspect suspect;
  suspect.tamper = [=](const ir::Node& at, ir::Tensor& output) {
    if (at.label == label) spoil(output);
  };
  return suspect;
}

}  // namespace plumb::testing
