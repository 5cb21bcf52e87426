#pragma once

// The flags of the commands of `plumb campaign`.

#include <string>

#include "parity/cli/reporting/record_reports.hpp"
#include "parity/core/demands.hpp"

namespace plumb::parity::cli {

struct CampaignPlanFlags {
  std::string file, folder;
};

struct CampaignRunFlags {
  std::string folder, device, until, lost_after = "60s";
  int threads = 0;
  bool share_device = false, quiet = false;
};

struct CampaignGatherFlags {
  std::string folder, output, tasks;
  bool partial = false, exit_zero = false;
  RecordReportFlags reports;
  core::Demands demands;
};

/// Each does what its command does, and returns the exit code. Throws Error where that cannot be.
int plan_campaign(const CampaignPlanFlags& flags);
int run_campaign(const CampaignRunFlags& flags);
int gather_campaign(const CampaignGatherFlags& flags);
int show_campaign(const std::string& folder);

}  // namespace plumb::parity::cli
