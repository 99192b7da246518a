#pragma once

#include <string>
#include <vector>

namespace lockstep::cluster {

/// One thing that is wrong in a description of a cluster.
struct Mistake {
  std::string variable;  // "TF_CONFIG"
  std::string place;     // "task.index, line 1, column 84"; empty: the whole variable
  std::string expected;  // the broken rule: "an index must be below the number of tasks"
  std::string got;       // "4 of 4"
  std::string cure;      // in words

  /// "[TF_CONFIG] an index must ...; got 4 of 4 (task.index, line 1, column 84); cure"
  std::string ToString() const;
};

/// All of them, the first one first, and behind them what to paste instead: shell lines, or a
/// manifest's. `corrected` may be empty.
std::string DescribeMistakes(const std::vector<Mistake>& mistakes, const std::string& corrected);

}  // namespace lockstep::cluster
