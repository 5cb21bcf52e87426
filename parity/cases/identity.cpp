// Makes the texts that name a run, and the id that people see.
#include "parity/cases/identity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <random>

#include "ir/raw/hash.hpp"
#include "ir/raw/mappings.hpp"
#include "parity/cases/node_result.hpp"
#include "parity/core/sha256.hpp"

namespace plumb::parity::cases {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t short_hash = 12;

/// Relative to the working folder where it is below it.
std::string normal_path(const std::string& given) {
  const fs::path path = fs::path(given).lexically_normal();
  std::error_code none;
  const fs::path relative = path.is_absolute() ? path.lexically_relative(fs::current_path(none)) : path;
  return relative.empty() || *relative.begin() == ".." ? path.string() : relative.string();
}

/// "adversarial:wave"
std::string fill_name(const Case& subject) {
  std::string name(ir::enum_name(subject.fill));
  if (subject.adversarial) name += fmt::format(":{}", ir::enum_name(*subject.adversarial));
  return name;
}

/// "batch:8,input:1x3x224x224": commas are between shapes.
std::string shapes_text(const std::vector<std::string>& shapes) {
  std::string text;
  for (std::string shape : shapes) {
    std::ranges::replace(shape, ',', 'x');
    std::ranges::replace(shape, '=', ':');
    text += (text.empty() ? "" : ",") + shape;
  }
  return text;
}

std::string variant_of(const Case& subject, core::Mode mode, const RunSettings& settings) {
  std::string text;
  // NAME=KIND:..., KIND:... or KIND; neither name nor kind has one of these characters.
  const std::string candidate = settings.candidate.substr(0, settings.candidate.find_first_of("=:"));
  if (candidate != RunSettings{}.candidate) text += " candidate=" + candidate;
  if (subject.dtype) text += fmt::format(" dtype={}", ir::info(*subject.dtype).name);
  if (!subject.precision.empty()) text += " precision=" + subject.precision;
  if (subject.fill != core::FillKind::graph) text += " fill=" + fill_name(subject);
  if (mode != core::Mode::attribute) text += fmt::format(" mode={}", ir::enum_name(mode));
  if (settings.alternative != 0) text += fmt::format(" alternative={}", settings.alternative);
  if (subject.seed != 1) text += fmt::format(" seed={}", subject.seed);
  if (subject.step != 0) text += fmt::format(" step={}", subject.step);
  if (subject.param_seed() != subject.seed) text += fmt::format(" param_seed={}", subject.param_seed());
  if (!settings.fuse) text += " fuse=off";
  if (!settings.knobs.empty()) text += " set=" + settings.knobs_text();
  for (const std::string& one : settings.planted) text += " planted=" + one;
  if (!settings.profile.empty()) text += " profile=" + settings.profile.substr(0, short_hash);
  if (!subject.origin.shapes.empty()) text += " shape=" + shapes_text(subject.origin.shapes);
  if (subject.origin.has_given) text += " feeds=" + subject.origin.tensors.substr(0, short_hash);
  return text;
}

std::string subject_of(const Case& subject, const std::string& path) {
  const std::string dtype(subject.dtype ? ir::info(*subject.dtype).name : "graph");
  const std::string plan = subject.origin.plan ? core::sha256(*subject.origin.plan) : subject.precision;
  return (subject.file ? "graph=" + core::sha256(ir::formats::graph_json(subject.file->graph)) : "file=" + path) +
         fmt::format("\ndtype={}\nprecision={}\nfill={}\nseed={}\nparam_seed={}\nfeeds={}\n", dtype,
                     plan.empty() ? "graph" : plan, fill_name(subject), subject.seed, subject.param_seed(),
                     subject.origin.tensors.empty() ? "generated" : subject.origin.tensors) +
         (subject.step == 0 ? "" : fmt::format("step={}\n", subject.step));
}

std::string options_of(core::Mode mode, const RunSettings& settings) {
  std::string text = fmt::format("candidate={}\nmode={}\nalternative={}\nfuse={}\n", settings.candidate,
                                 ir::enum_name(mode), settings.alternative, settings.fuse ? "on" : "off");
  for (const auto& [name, value] : settings.knobs) text += name + '=' + value + '\n';
  for (const std::string& one : settings.planted) text += "planted=" + one + '\n';
  if (settings.validate) text += "validate=on\n";
  const auto or_none = [](const std::string& hash) { return hash.empty() ? std::string("none") : hash; };
  return text + "profile=" + or_none(settings.profile) + "\ncalibration=" + or_none(settings.calibration) + '\n';
}

}  // namespace

std::string RunSettings::knobs_text() const {
  std::string text;
  for (const auto& [name, value] : knobs) text += (text.empty() ? "" : ",") + name + ':' + value;
  return text;
}

std::string Identity::key() const { return core::sha256(subject + options); }

Identity identity_of(const Case& subject, core::Mode mode, const RunSettings& settings) {
  Identity made{.path = normal_path(subject.name), .variant = variant_of(subject, mode, settings)};
  made.subject = subject_of(subject, made.path);
  made.options = options_of(mode, settings);
  return made;
}

Identity identity_of(const CaseResult& result) {
  if (!result.identity.subject.empty()) return result.identity;
  return identity_of(result.subject, result.mode, result.settings);
}

Uuid new_uuid() {
  std::random_device system;
  Uuid uuid;
  for (std::size_t i = 0; i < uuid.size(); i += 4) {
    const std::uint32_t word = system();
    for (std::size_t k = 0; k < 4; ++k) uuid[i + k] = static_cast<std::uint8_t>(word >> 8 * k);
  }
  uuid[6] = static_cast<std::uint8_t>((uuid[6] & 0x0F) | 0x40);
  uuid[8] = static_cast<std::uint8_t>((uuid[8] & 0x3F) | 0x80);
  return uuid;
}

std::string to_text(const Uuid& uuid) {
  if (uuid == Uuid{}) return "";
  std::string text;
  for (std::size_t i = 0; i < uuid.size(); ++i)
    text += fmt::format("{}{:02x}", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
  return text;
}

std::string precision_name(const Case& subject) {
  if (!subject.precision.empty()) return subject.precision;
  return subject.dtype ? std::string(ir::info(*subject.dtype).name) : "graph";
}

std::string hash_of(const ir::Feeds& tensors, const std::vector<std::string>& lines) {
  std::string text;
  for (const auto& [name, tensor] : tensors) {
    text += ir::cat(name, ' ', tensor.type(), ' ', fmt::format("{:016x}", ir::raw::hash_bytes(tensor.bytes())), '\n');
    ir::raw::release_after_use(tensor.bytes());
  }
  for (const std::string& line : lines) text += line + '\n';
  return text.empty() ? "" : core::sha256(text);
}

}  // namespace plumb::parity::cases
