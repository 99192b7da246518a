#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/clock.h"
#include "cluster/description.h"
#include "cluster/doctor.h"
#include "distribute/workers/measure_pairs.h"

namespace lockstep::cli {

/// What the tasks of a job tell each other when all of them run `lockstep doctor`.
struct DoctorsMeeting {
  std::vector<cluster::Finding> findings;
  /// Lists of objects; empty if they did not meet.
  nlohmann::ordered_json tasks, pairs;
};

/// Meets the job's other tasks, and measures the road of each pair. A task that does not come in
/// time is a doubt, what keeps those that came from each other a problem.
DoctorsMeeting MeetOtherDoctors(const cluster::Description& description,
                                const cluster::Environment& environment, base::Duration wait);

/// A finding for each road, and one for each pair that is far slower than others of its road.
/// `roads` and `names`: of each pair, of each rank.
std::vector<cluster::Finding> ExaminePairs(const std::vector<distribute::PairSpeed>& pairs,
                                           const std::vector<std::string>& roads,
                                           const std::vector<std::string>& names);

}  // namespace lockstep::cli
