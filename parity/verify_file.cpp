#include <new>

#include "parity/exact/twin.hpp"

namespace plumb::parity {

CaseResult verify_file(const std::filesystem::path& path, const FillOptions& fill, const Executors& executors,
                       const VerifyOptions& options, Observer& observer) {
  CaseResult result;
  result.subject = {.name = path.string(), .seed = fill.seed, .dtype = fill.dtype};
  const auto ends = [&](Verdict verdict, ExitCode exit, std::string message) {
    result.verdict = verdict;
    result.exit = exit;
    result.message = std::move(message);
    return result;
  };
  try {
    Case subject = load_case(path, fill);
    if (fill.kind == FillKind::exact) subject = exact::make_twin(subject, executors.reference);
    result.subject.file = subject.file;
    return verify(subject, executors, options, observer);
  } catch (const ir::Unsupported& error) {
    return ends(Verdict::unsupported, ExitCode::nothing_ran, error.what());
  } catch (const ir::DeviceError& error) {
    return ends(Verdict::error, ExitCode::device_error, error.what());
  } catch (const ir::Error& error) {
    return ends(Verdict::error, ExitCode::tool_error, error.what());
  } catch (const std::bad_alloc&) {
    return ends(Verdict::error, ExitCode::tool_error, path.string() + ": the host is out of memory");
  }
}

ExitCode exit_code(std::span<const CaseResult> cases, bool strict) {
  std::vector<ExitCode> codes;
  for (const CaseResult& one : cases) {
    const bool doubtful = strict && one.verdict == Verdict::mistrusted;
    const bool unexpected = strict && one.verdict == Verdict::xpassed;
    codes.push_back(doubtful ? ExitCode::mistrusted : unexpected ? ExitCode::failed : one.exit);
  }
  return overall(std::span<const ExitCode>(codes));
}

}  // namespace plumb::parity
