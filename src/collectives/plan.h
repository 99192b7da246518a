#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/network_cost.h"
#include "collectives/tree.h"
#include "lockstep/base/status.h"

/// Who sends which node of which slice to whom. A plan decides the time a sum takes, never its
/// bits.

namespace lockstep::collectives {

/// Which rank holds which leaves: contiguous blocks in the order of ranks, uneven or empty at will.
class Division {
 public:
  /// `borders`: num_ranks + 1 leaf numbers from 0 up; rank r holds [borders[r], borders[r + 1]).
  /// Errors: InvalidArgument (fewer than two borders, first not 0, descending).
  static Result<Division> FromBorders(std::vector<Leaf> borders);
  /// Equal blocks; the first num_leaves % num_ranks ranks hold one leaf more.
  static Division Even(Leaf num_leaves, int num_ranks);

  int num_ranks() const { return static_cast<int>(borders_.size()) - 1; }
  Leaf num_leaves() const { return borders_.back(); }
  Node block(int rank) const { return {borders_[rank], borders_[rank + 1]}; }
  const std::vector<Leaf>& borders() const { return borders_; }
  auto operator<=>(const Division&) const = default;

 private:
  explicit Division(std::vector<Leaf> borders) : borders_(std::move(borders)) {}
  std::vector<Leaf> borders_;
};

/// How the ranks exchange partials. docs/collectives.md has the costs.
enum class Algorithm : uint8_t {
  kAuto = 0,      // the cheapest by a fixed model of latency and bytes, the same on every rank
  kExchange = 1,  // every rank sends its partials to every other: one hop
  kSlices = 2,    // each rank adds up one slice from everybody's partials and sends its sum to all
  kRelay = 3,     // the same with the fewest transfers: partials meet on the way
  kMeasured = 4,  // exchange, but rank 0 may say that each adds up a slice: what took less time
};

/// "exchange"
std::string_view AlgorithmName(Algorithm algorithm);

/// One message: the sum over `node` of a slice's elements goes from one rank to another.
struct Transfer {
  Node node;
  int from = 0;
  int to = 0;
  auto operator<=>(const Transfer&) const = default;
};

/// A range of elements and the transfers after which every rank knows its root.
struct Slice {
  size_t begin = 0;
  size_t end = 0;
  std::vector<Transfer> transfers;
  int owner = -1;  // the rank that adds it up; none: all ranks do
};

struct Plan {
  Algorithm algorithm = Algorithm::kExchange;
  /// None without leaves. They cover [0, count) in ascending order; those of kMeasured twice: first
  /// one of all elements, which all ranks add up, then one of each rank.
  std::vector<Slice> slices;

  /// Elements that `rank` sends in all.
  uint64_t ElementsSent(int rank) const;
};

/// Plans the sum of `count` elements of `element_bytes` bytes. Slices begin at multiples of 16
/// elements. The same arguments give the same plan on every rank.
Plan MakePlan(const Division& division, size_t count, size_t element_bytes, Algorithm algorithm,
              const NetworkCost& cost = kOneHostCost);

/// Plans a reduce-scatter: slice s, the elements [shares[s], shares[s + 1]), goes to rank s alone.
/// kAuto and kSlices: from everybody to its owner; kRelay: partials meet on the way.
Plan MakeSharesPlan(const Division& division, const std::vector<size_t>& shares,
                    Algorithm algorithm);

}  // namespace lockstep::collectives
