#include "collectives/barrier.h"

#include <bit>
#include <utility>

#include "base/check.h"
#include "base/probe.h"

namespace lockstep::collectives {
namespace {

// In round k rank r tells rank r + 2^k and hears of rank r - 2^k, and so of all ranks between.
class Rounds final : public Operation {
 public:
  Rounds(BarrierRequest request, Call call, bool is_direct, int ranks, OnReduced done)
      : Operation(request.id, std::move(call), request.options.timeout, std::move(done)),
        is_direct_(is_direct),
        came_(is_direct ? ranks - 1 : std::bit_width(static_cast<unsigned>(ranks - 1)), false) {}

  void Begin(Group& group) override {
    if (came_.empty()) return Finish(group, Reduced{true});
    Tell(group, 0);
    for (size_t round = 1; is_direct_ && round < came_.size(); ++round) Tell(group, round);
  }

  void Take(Group& group, int from, const PartialMessage& message) override {
    const size_t round = message.header.slice;
    if (round >= came_.size() || from != Neighbour(group, -Distance(round))) {
      group.FailAndAbort(*this, Status(Code::kInvalidArgument,
                                       "[barrier] a message must belong to a round; got round " +
                                           std::to_string(round) + " from rank " +
                                           std::to_string(from) + " " + group.Place(id())));
      return;
    }
    if (came_[round]) {
      LOCKSTEP_PROBE("a barrier's message came twice");
      return;
    }
    came_[round] = true;
    for (; next_ < came_.size() && came_[next_]; ++next_)
      if (!is_direct_ && next_ + 1 < came_.size()) Tell(group, next_ + 1);
    if (next_ == came_.size()) Finish(group, Reduced{true});
  }

  std::string Missing(const Group& group) const override {
    return "nothing from rank " + std::to_string(Neighbour(group, -Distance(next_))) + "; " +
           std::to_string(next_) + " of " + std::to_string(came_.size()) + " rounds are done";
  }

 private:
  int Distance(size_t round) const { return is_direct_ ? static_cast<int>(round) + 1 : 1 << round; }
  static int Neighbour(const Group& group, int distance) {
    return (group.rank() + distance + group.num_ranks()) % group.num_ranks();
  }
  void Tell(Group& group, size_t round) {
    PartialHeader header = Header();
    header.slice = static_cast<uint32_t>(round);
    Send(group, Neighbour(group, Distance(round)), header, {});
  }

  const bool is_direct_;
  std::vector<bool> came_;  // by round
  size_t next_ = 0;         // rounds before this one are over
};

}  // namespace

void Barrier(Group& group, BarrierRequest request, OnReduced done, std::source_location where) {
  LOCKSTEP_CHECK(done != nullptr);
  constexpr OpKind kKind = OpKind::kBarrier;
  const auto no_moves = [](Route) { return std::vector<Move>(); };
  auto route =
      Choose(group, {kKind, request.id, request.options.route, {Route::kDirect, Route::kDoubling}},
             {}, no_moves);
  if (!route.ok()) return Refuse(group, std::move(done), route.status());
  // Up to four ranks a hop costs more than the messages that it saves.
  const bool is_direct = request.options.route == Route::kAuto ? group.num_ranks() <= 4
                                                               : route->route == Route::kDirect;
  Call call{.kind = kKind, .label = request.label, .where = where};
  call.plan = Fingerprint().Mix(is_direct).value();
  group.Run(std::make_unique<Rounds>(std::move(request), std::move(call), is_direct,
                                     group.num_ranks(), std::move(done)));
}

}  // namespace lockstep::collectives
