#pragma once

#include <vector>

#include "distribute/workers/communicator.h"

namespace lockstep::distribute {

/// How fast messages go from one rank to another.
struct PairSpeed {
  int from = 0, to = 0;
  double latency_us = 0;            // half of a round trip of 8 bytes, the median
  double mebibytes_per_second = 0;  // messages of 1 MiB, of which the receiver reads every byte
};

/// Measures the transport between every two ranks, one pair after another so that none disturbs
/// another; of more than 16 ranks only between neighbours and with rank 0. Every rank calls it, and
/// gets the same result. Cost: at most about 100 ms a pair. Errors: thrown, why the epoch ended;
/// DataLoss if bytes came that were not sent.
std::vector<PairSpeed> MeasurePairs(Communicator& ranks);

/// The pairs in question, in order.
std::vector<PairSpeed> PairsOf(int num_ranks);

}  // namespace lockstep::distribute
