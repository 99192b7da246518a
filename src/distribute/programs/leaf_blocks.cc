#include "distribute/programs/leaf_blocks.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/printf.h"
#include "cluster/fields.h"
#include "distribute/workers/communicator.h"

namespace lockstep::distribute {

using collectives::Division;
using collectives::Leaf;

Division DivideLeaves(Leaf leaves, const Roles& roles, Leaf grain) {
  const auto even =
      Division::Even((leaves + grain - 1) / grain, static_cast<int>(roles.leaf_ranks().size()));
  std::vector<Leaf> borders{0};
  size_t workers = 0;
  for (int rank = 0; rank < roles.num_ranks(); ++rank) {
    if (roles.WorkerOf(rank) >= 0) ++workers;
    borders.push_back(std::min(leaves, even.borders()[workers] * grain));
  }
  return Division::FromBorders(std::move(borders)).OrThrow();
}

double TrafficOf(const Division& division) {
  std::vector<double> nodes;
  double all = 0;
  for (int rank = 0; rank < division.num_ranks(); ++rank) {
    nodes.push_back(static_cast<double>(Cover(division.block(rank), division.num_leaves()).size()));
    all += nodes.back();
  }
  const auto ranks = static_cast<double>(division.num_ranks());
  double busiest = 0;
  for (const double own : nodes) busiest = std::max({busiest, own * (ranks - 1), all - own});
  return (busiest + ranks - 1) / ranks;
}

namespace {

Leaf LargestBlock(const Division& division) {
  Leaf largest = 0;
  for (int rank = 0; rank < division.num_ranks(); ++rank)
    largest = std::max(largest, division.block(rank).size());
  return largest;
}

// Divisions by ever larger grains, as long as each worker gets a leaf.
std::vector<Division> Candidates(Leaf leaves, const Roles& roles) {
  std::vector<Division> candidates;
  for (Leaf grain = 1; grain <= leaves && (leaves + grain - 1) / grain >= roles.leaf_ranks().size();
       grain *= 2)
    candidates.push_back(DivideLeaves(leaves, roles, grain));
  return candidates;
}

bool IsFar(const std::string& road) { return road != "shared_memory" && road != "in_process"; }

struct Report {
  int64_t worked = 0, waited = 0;
  bool is_far = false;  // some rank of another host is in reach
};

Report OwnReport(Communicator& ranks, base::Duration worked, base::Duration waited) {
  Report report{worked.count(), waited.count(), false};
  const std::vector<net::Traffic> traffic = ranks.transport().traffic();
  // A transport may not know its roads.
  for (size_t peer = 0; peer < static_cast<size_t>(ranks.num_ranks()); ++peer)
    report.is_far |= peer != static_cast<size_t>(ranks.rank()) &&
                     (peer >= traffic.size() || IsFar(traffic[peer].road));
  return report;
}

std::vector<Report> Exchange(Communicator& ranks, const Report& own) {
  cluster::FieldWriter writer;
  writer.Put(own.worked).Put(own.waited).Put(static_cast<uint8_t>(own.is_far));
  std::vector<Report> reports;
  for (const std::string& text : ranks.AllGather(writer.Take())) {
    cluster::FieldReader reader(text);
    Report& report = reports.emplace_back();
    report.worked = reader.Take<int64_t>();
    report.waited = reader.Take<int64_t>();
    report.is_far = reader.Take<uint8_t>() != 0;
  }
  return reports;
}

// Who comes last to the exchanges waits for the wire alone.
RunCosts CostsOf(const std::vector<Report>& reports, const Division& division) {
  RunCosts costs{.wire = static_cast<double>(reports[0].waited)};
  for (const Report& report : reports) {
    costs.leaf += static_cast<double>(report.worked) / division.num_leaves();
    costs.wire = std::min(costs.wire, static_cast<double>(report.waited));
  }
  return costs;
}

std::string SizesOf(const Division& division) {
  std::string sizes;
  for (int rank = 0; rank < division.num_ranks(); ++rank)
    sizes += (rank > 0 ? ", " : "") + std::to_string(division.block(rank).size());
  return sizes;
}

}  // namespace

Division ChooseBlocks(const Division& present, const Roles& roles, const RunCosts& costs) {
  constexpr double kWorthIt = 0.95;
  const double traffic = TrafficOf(present);
  const auto time = [&](const Division& division) {
    return LargestBlock(division) * costs.leaf + costs.wire * TrafficOf(division) / traffic;
  };
  Division best = present;
  double best_time = time(present) * kWorthIt;
  for (const Division& division : Candidates(present.num_leaves(), roles)) {
    if (time(division) >= best_time) continue;
    best = division;
    best_time = time(division);
  }
  return best;
}

BlockTrial::BlockTrial(const Division& present, const Roles& roles)
    : present_(present),
      roles_(roles),
      // Free compute: is there a division with less traffic at all?
      is_open_(roles.servers().empty() && present.num_leaves() > 0 &&
               ChooseBlocks(present, roles, {.leaf = 0, .wire = 1}) != present) {}

void BlockTrial::AfterRun(base::Duration worked, base::Duration waited) {
  if (!is_open_ || is_over_ || ++runs_ <= kFirst) return;
  worked_ += worked;
  waited_ += waited;
}

std::optional<Division> BlockTrial::Decide(Communicator& ranks) {
  if (!is_open_ || is_over_ || runs_ < kFirst + kRuns) return std::nullopt;
  is_over_ = true;
  const std::vector<Report> reports = Exchange(ranks, OwnReport(ranks, worked_, waited_));
  if (std::none_of(reports.begin(), reports.end(), [](const Report& r) { return r.is_far; }))
    return std::nullopt;
  const RunCosts costs = CostsOf(reports, present_);
  Division chosen = ChooseBlocks(present_, roles_, costs);
  if (chosen == present_) return std::nullopt;
  if (ranks.rank() == ranks.roles().chief()) {
    base::Log(
        base::Severity::kInfo,
        base::Printf("[multi_worker] blocks of %s leaves instead of %s from here on: a leaf takes "
                     "%.0f us, the wire %.0f us a step, and %.0f with these; the bits stay",
                     SizesOf(chosen).c_str(), SizesOf(present_).c_str(), costs.leaf / kRuns / 1000,
                     costs.wire / kRuns / 1000,
                     costs.wire / kRuns / 1000 * TrafficOf(chosen) / TrafficOf(present_)));
  }
  return chosen;
}

}  // namespace lockstep::distribute
