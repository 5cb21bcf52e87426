#pragma once

#include <filesystem>
#include <functional>

#include "parity/cases/node_result.hpp"

namespace plumb::parity::verify {

/// Holds a case that was carried out to what its file says that it must come to, and sets its exit code: 0 where it
/// failed as it must, 1 where it did not. What was an error, and what nothing was judged of, stays as it is.
void hold_to_must(cases::CaseResult& result);

/// Likewise a case that broke off with a message: 0 where the file says that it must be refused so.
void hold_refusal_to_must(cases::CaseResult& result);

/// Does some work for a case, and says in `result` why it could not be done.
void carry_out(const std::filesystem::path& path, cases::CaseResult& result, const std::function<void()>& work);

}  // namespace plumb::parity::verify
