#include "parity/verify/must.hpp"

#include <algorithm>
#include <new>

namespace plumb::parity::verify {
namespace {

/// Whether the case failed in the words that its file wants.
bool fails_as_it_must(const cases::CaseResult& result) {
  if (result.verdict != core::Verdict::failed) return false;
  const auto says = [&](const std::string& text) { return text.find(result.subject.file->expect_error) != text.npos; };
  return says(result.message) || std::ranges::any_of(result.nodes, [&](const cases::NodeResult& node) {
           return node.verdict == core::Verdict::failed && says(ir::cat(node.name(), ": ", node.why));
         });
}

bool is_judged(const cases::CaseResult& result) {
  return result.exit == core::ExitCode::passed || result.exit == core::ExitCode::failed;
}

}  // namespace

void hold_to_must(cases::CaseResult& result) {
  using ir::formats::Must;
  const Must must = result.subject.file->must;
  if (must == Must::pass || !is_judged(result)) return;
  const std::string wanted = must == Must::fail ? "fail" : "be refused";
  const bool is_met = must == Must::fail && fails_as_it_must(result);
  result.meets_must = is_met;
  result.exit = is_met ? core::ExitCode::passed : core::ExitCode::failed;
  std::string note = is_met ? "failed, as the file says that it must" : "the file says that it must " + wanted;
  if (!is_met && must == Must::fail && result.verdict == core::Verdict::failed)
    note += " and say '" + result.subject.file->expect_error + "', which it does not say";
  else if (!is_met)
    note += must == Must::fail ? ", and nothing failed" : ", and it was carried out";
  result.notes.push_back(note);
}

void hold_refusal_to_must(cases::CaseResult& result) {
  const auto& file = result.subject.file;
  if (!file || file->must != ir::formats::Must::refuse || result.exit != core::ExitCode::tool_error) return;
  if (result.message.find(file->expect_error) == std::string::npos) return;
  result.meets_must = true;
  result.exit = core::ExitCode::passed;
  result.message += " (refused, as the file says that it must be)";
}

void carry_out(const std::filesystem::path& path, cases::CaseResult& result, const std::function<void()>& work) {
  const auto ends = [&](core::Verdict verdict, core::ExitCode exit, std::string message) {
    result.verdict = verdict;
    result.exit = exit;
    result.message = std::move(message);
    hold_refusal_to_must(result);
  };
  try {
    work();
  } catch (const ir::Unsupported& error) {
    ends(core::Verdict::unsupported, core::ExitCode::nothing_ran, error.what());
  } catch (const ir::DeviceError& error) {
    ends(core::Verdict::error, core::ExitCode::device_error, error.what());
  } catch (const ir::Error& error) {
    ends(core::Verdict::error, core::ExitCode::tool_error, error.what());
  } catch (const std::bad_alloc&) {
    ends(core::Verdict::error, core::ExitCode::tool_error, path.string() + ": the host is out of memory");
  }
}

}  // namespace plumb::parity::verify
