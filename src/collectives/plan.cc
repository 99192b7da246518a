#include "collectives/plan.h"

#include <algorithm>

#include "base/check.h"
#include "collectives/relay.h"

namespace lockstep::collectives {
namespace {

constexpr size_t kSliceElements = 16;  // slices begin at cache lines

Plan PlanExchange(const Division& division, size_t count) {
  Slice slice{0, count, {}};
  for (int from = 0; from < division.num_ranks(); ++from) {
    for (Node node : Cover(division.block(from), division.num_leaves())) {
      for (int to = 0; to < division.num_ranks(); ++to)
        if (to != from) slice.transfers.push_back({node, from, to});
    }
  }
  return {Algorithm::kExchange, {std::move(slice)}};
}

void AppendResult(const Division& division, int owner, Slice* slice) {
  for (int to = 0; to < division.num_ranks(); ++to)
    if (to != owner) slice->transfers.push_back({Root(division.num_leaves()), owner, to});
}

std::vector<Transfer> DirectTransfers(const Division& division, int owner) {
  std::vector<Transfer> transfers;
  for (int from = 0; from < division.num_ranks(); ++from) {
    if (from == owner) continue;
    for (Node node : Cover(division.block(from), division.num_leaves()))
      transfers.push_back({node, from, owner});
  }
  return transfers;
}

Plan PlanSlices(const Division& division, size_t count, Algorithm algorithm) {
  Plan plan = algorithm == Algorithm::kMeasured ? PlanExchange(division, count) : Plan{};
  plan.algorithm = algorithm;
  const size_t ranks = static_cast<size_t>(division.num_ranks());
  size_t begin = 0;
  for (size_t owner = 0; owner < ranks && begin < count; ++owner) {
    size_t end = count * (owner + 1) / ranks;
    end = std::min(count, (end + kSliceElements - 1) / kSliceElements * kSliceElements);
    if (owner + 1 == ranks) end = count;
    if (end <= begin) continue;
    const int rank = static_cast<int>(owner);
    Slice slice{begin, end, {}, rank};
    if (algorithm == Algorithm::kRelay) slice.transfers = RelayTransfers(division, rank);
    if (algorithm == Algorithm::kSlices) slice.transfers = DirectTransfers(division, rank);
    AppendResult(division, rank, &slice);
    plan.slices.push_back(std::move(slice));
    begin = end;
  }
  return plan;
}

// The time of the busiest rank, were messages handed over one after another, and parts added up or
// copied behind them: who adds reads each part and writes the sum, others copy it.
double EstimatedNanoseconds(const Plan& plan, const Division& division, size_t element_bytes,
                            const NetworkCost& cost) {
  const int num_ranks = division.num_ranks();
  std::vector<double> out(num_ranks), in(num_ranks), added(num_ranks);
  double parts = 0;
  for (int rank = 0; rank < num_ranks; ++rank)
    parts += static_cast<double>(Cover(division.block(rank), division.num_leaves()).size());
  for (const Slice& slice : plan.slices) {
    const double bytes = static_cast<double>((slice.end - slice.begin) * element_bytes);
    for (const Transfer& transfer : slice.transfers) {
      out[transfer.from] += cost.message + bytes * cost.byte;
      in[transfer.to] += cost.message + bytes * cost.byte;
    }
    for (int rank = 0; rank < num_ranks; ++rank) {
      const double touched = slice.owner < 0 || slice.owner == rank ? parts + 1 : 2;
      added[rank] += touched * bytes * cost.touched_byte;
    }
  }
  double busiest = 0;
  for (int rank = 0; rank < num_ranks; ++rank)
    busiest = std::max(busiest, std::max(out[rank], in[rank]) + added[rank]);
  return busiest + cost.hop * (plan.algorithm == Algorithm::kExchange ? 1 : 2);
}

}  // namespace

Result<Division> Division::FromBorders(std::vector<Leaf> borders) {
  const bool right =
      borders.size() >= 2 && borders.front() == 0 && std::is_sorted(borders.begin(), borders.end());
  if (right) return Division(std::move(borders));
  std::string text;
  for (Leaf border : borders) text += (text.empty() ? "" : ",") + std::to_string(border);
  return Status(Code::kInvalidArgument,
                "[division] borders must rise from 0, one more than ranks; got [" + text + "]");
}

Division Division::Even(Leaf num_leaves, int num_ranks) {
  LOCKSTEP_CHECK_GE(num_ranks, 1);
  const Leaf ranks = static_cast<Leaf>(num_ranks);
  std::vector<Leaf> borders(ranks + 1);
  for (Leaf rank = 0; rank < ranks; ++rank)
    borders[rank + 1] = borders[rank] + num_leaves / ranks + (rank < num_leaves % ranks ? 1 : 0);
  return Division(std::move(borders));
}

std::string_view AlgorithmName(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::kAuto:
      return "auto";
    case Algorithm::kExchange:
      return "exchange";
    case Algorithm::kSlices:
      return "slices";
    case Algorithm::kRelay:
      return "relay";
    case Algorithm::kMeasured:
      return "measured";
  }
  return "unknown";
}

uint64_t Plan::ElementsSent(int rank) const {
  uint64_t elements = 0;
  for (const Slice& slice : slices) {
    for (const Transfer& transfer : slice.transfers)
      if (transfer.from == rank) elements += slice.end - slice.begin;
  }
  return elements;
}

Plan MakePlan(const Division& division, size_t count, size_t element_bytes, Algorithm algorithm,
              const NetworkCost& cost) {
  if (division.num_leaves() == 0) return {algorithm, {}};
  // Without elements there is still to settle whether anybody contributes.
  if (count == 0) return PlanExchange(division, count);
  if (algorithm == Algorithm::kAuto && division.num_ranks() == 2 &&
      count * element_bytes >= cost.measured_bytes)
    algorithm = Algorithm::kMeasured;
  // Rank 0's parts tell the others the way, also where they go out in slices.
  const bool tells_all = !division.block(0).empty() &&
                         count >= kSliceElements * static_cast<size_t>(division.num_ranks());
  if (algorithm == Algorithm::kMeasured && !tells_all) algorithm = Algorithm::kExchange;
  if (algorithm == Algorithm::kExchange) return PlanExchange(division, count);
  if (algorithm != Algorithm::kAuto) return PlanSlices(division, count, algorithm);
  Plan best = PlanExchange(division, count);
  double best_time = EstimatedNanoseconds(best, division, element_bytes, cost);
  for (Algorithm other : {Algorithm::kSlices, Algorithm::kRelay}) {
    Plan plan = PlanSlices(division, count, other);
    const double time = EstimatedNanoseconds(plan, division, element_bytes, cost);
    if (time < best_time) best = std::move(plan), best_time = time;
  }
  return best;
}

Plan MakeSharesPlan(const Division& division, const std::vector<size_t>& shares,
                    Algorithm algorithm) {
  Plan plan{algorithm == Algorithm::kRelay ? Algorithm::kRelay : Algorithm::kSlices, {}};
  if (division.num_leaves() == 0) return plan;
  for (int owner = 0; owner < division.num_ranks(); ++owner) {
    plan.slices.push_back({shares[owner], shares[owner + 1],
                           algorithm == Algorithm::kRelay ? RelayTransfers(division, owner)
                                                          : DirectTransfers(division, owner),
                           owner});
  }
  return plan;
}

}  // namespace lockstep::collectives
