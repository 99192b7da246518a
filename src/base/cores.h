#pragma once

#include <string>
#include <vector>

namespace lockstep::base {

/// How many hardware threads this process may use at once, at least one: those that it may run on
/// (taskset, a cpuset), but no more whole ones than its control group has the time of (the CPU
/// limit of a container).
int Cores();

/// Their numbers on this machine, ascending, whatever the time of a control group; where the system
/// does not say, all of them.
std::vector<int> CoreNumbers();

/// The one that the calling thread runs on; -1 where the system does not say.
int CurrentCore();

/// Lets the calling thread go on at that core, for as long as the system leaves it there: where the
/// thread may run stays as it is. False: it may not run there, or the system does not allow it.
bool GoToCore(int core);

/// How many cores' time the process's control group, or one around it, has; 0: there is no limit.
double CoresOfControlGroup();

/// The same of files: `root`, where control groups are mounted, and what /proc/self/cgroup says.
/// Versions 1 and 2.
double CoresOfControlGroup(const std::string& root, const std::string& groups);

}  // namespace lockstep::base
