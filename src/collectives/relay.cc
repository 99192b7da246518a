#include "collectives/relay.h"

#include <algorithm>

#include "base/check.h"

namespace lockstep::collectives {
namespace {

// Sankoff's dynamic program: where to add up each node of the tree so that the fewest partials
// move.
class RelayPlanner {
 public:
  explicit RelayPlanner(const Division& division) : division_(division) {}

  std::vector<Transfer> Plan(int owner) {
    const int root = Solve(Root(division_.num_leaves()));
    Place(root, owner);
    return std::move(transfers_);
  }

 private:
  // A node above or in the blocks' covers: how many transfers bring it to each rank.
  struct Step {
    Node node;
    int left = -1;  // index of a step; -1: one rank holds all leaves
    int right = -1;
    std::vector<int> made;     // transfers to have the node added up at the rank
    std::vector<int> reaches;  // transfers to have it there, from wherever it was made
    int cheapest = 0;          // the lowest rank of the fewest `made`
  };

  int HolderOf(Node node) const {
    const auto& borders = division_.borders();
    const auto after = std::upper_bound(borders.begin(), borders.end(), node.begin);
    const int rank = static_cast<int>(after - borders.begin()) - 1;
    return division_.block(rank).Contains(node) ? rank : -1;
  }

  int Solve(Node node) {
    Step step{node};
    const int ranks = division_.num_ranks();
    const int holder = HolderOf(node);
    step.made.assign(ranks, ranks * 64);
    if (holder >= 0) {
      step.made[holder] = 0;
    } else {
      step.left = Solve(LeftChild(node));
      step.right = Solve(RightChild(node));
      for (int rank = 0; rank < ranks; ++rank)
        step.made[rank] = steps_[step.left].reaches[rank] + steps_[step.right].reaches[rank];
    }
    const auto fewest = std::min_element(step.made.begin(), step.made.end());
    step.cheapest = static_cast<int>(fewest - step.made.begin());
    for (int made : step.made) step.reaches.push_back(std::min(made, *fewest + 1));
    steps_.push_back(std::move(step));
    return static_cast<int>(steps_.size()) - 1;
  }

  // Has the node of `index` added up, and brought to `rank`.
  void Place(int index, int rank) {
    const Step& step = steps_[index];
    const int maker = step.made[rank] <= step.made[step.cheapest] + 1 ? rank : step.cheapest;
    const bool is_held = step.left < 0;
    const int from = is_held ? step.cheapest : maker;
    if (!is_held) {
      Place(step.left, from);
      Place(step.right, from);
    }
    if (from != rank) transfers_.push_back({step.node, from, rank});
  }

  const Division& division_;
  std::vector<Step> steps_;
  std::vector<Transfer> transfers_;
};

}  // namespace

std::vector<Transfer> RelayTransfers(const Division& division, int owner) {
  LOCKSTEP_CHECK_GE(division.num_leaves(), Leaf{1});
  return RelayPlanner(division).Plan(owner);
}

}  // namespace lockstep::collectives
