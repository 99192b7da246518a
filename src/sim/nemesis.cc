#include "sim/nemesis.h"

#include <algorithm>
#include <set>

namespace lockstep::sim {
namespace {

base::Duration Draw(World& world, base::Duration longest) {
  return base::Duration(world.randomness().Between(0, longest.count()));
}

void PartitionSomewhere(World& world) {
  std::set<int> side;
  for (int rank = 0; rank < world.num_ranks(); ++rank)
    if (world.randomness().Chance(0.5)) side.insert(rank);
  world.network().Partition(side);
}

void CutSomewhere(World& world) {
  const auto ranks = static_cast<uint64_t>(world.num_ranks());
  world.network().CutOneWay(static_cast<int>(world.randomness().Below(ranks)),
                            static_cast<int>(world.randomness().Below(ranks)));
}

}  // namespace

void Trouble(World& world, base::Duration time, const NemesisOptions& options) {
  const base::Duration calm = Draw(world, options.longest_calm);
  if (calm >= time) return;
  world.After(calm, [&world, rest = time - calm, options] {
    const base::Duration fault = std::min(rest, Draw(world, options.longest_fault));
    switch (world.randomness().Below(3)) {
      case 0:
        world.Pause(static_cast<int>(world.randomness().Below(world.num_ranks())), fault);
        break;
      case 1:
        PartitionSomewhere(world);
        break;
      default:
        CutSomewhere(world);
    }
    world.After(fault, [&world, left = rest - fault, options] {
      world.network().Heal();
      Trouble(world, left, options);
    });
  });
}

}  // namespace lockstep::sim
