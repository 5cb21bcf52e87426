#pragma once

#include "parity/policy/policy.hpp"
#include "parity/studies/fit/fit.hpp"

namespace plumb::parity::studies::fit {

/// Where fitted rules say that they come from.
struct Provenance {
  Options options = {};
  std::string at = {};      ///< "2026-09-01"
  std::string commit = {};  ///< the commit of the tool that recorded the results
};

/// A policy of the fitted rules alone.
std::string policy_text(const Fit& fit, const Provenance& provenance);

/// The text of a policy with rules fitted anew, and remarks on the changes.
struct Updated {
  std::string text;
  std::vector<std::string> notes;
};

/// Replaces the fitted rules of a policy, and puts new ones before the first rule that would hide them;
/// everything else, comments too, stays as it is. Limits only become tighter: a fitted rule that came out looser
/// keeps its limit, unless a reason is given, which is then written into it. Throws Error when the policy has
/// rules fitted to real devices and these are of software, when a rule of that id was not fitted, and
/// when a new rule would loosen what another rule decides now.
Updated updated_policy(const policy::Policy& old, const Fit& fit, const Provenance& provenance,
                       const std::string& allow_loosen);

}  // namespace plumb::parity::studies::fit
