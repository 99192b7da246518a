#include "runtime/race_checks.h"

#include <algorithm>

#include "runtime/backpropagate.h"
#include "runtime/variable_cell.h"
#include "runtime/variable_hold.h"
#include "tensor/buffer.h"

namespace lockstep::runtime {

namespace {

AccessPlace PlaceOf(const std::optional<Access>& access, uint64_t version) {
  if (!access) return {version, 0, {}};
  const Actor& actor = *access->actor;
  return {access->version, actor.number(), access->site, actor.process(), actor.name()};
}

struct Versions {
  uint64_t least = UINT64_MAX;
  uint64_t most = 0;
};

// The versions of variable `number` among the values of a tape.
Versions VersionsSeen(const std::deque<RecordedOp>& operations, uint64_t number) {
  Versions seen;
  for (const RecordedOp& operation : operations) {
    for (const Tensor& output : operation.outputs) {
      if (!output.defined() || output.buffer() == nullptr) continue;
      if (output.buffer()->origin().variable != number) continue;
      seen.least = std::min(seen.least, output.buffer()->origin().version);
      seen.most = std::max(seen.most, output.buffer()->origin().version);
    }
  }
  return seen;
}

}  // namespace

AssignedValue DescribeAssigned(const VariableCell& cell, const Tensor& value) {
  AssignedValue described;
  described.computed_from = tensor::VersionIn(value, cell.number());
  described.from_host = !tensor::HasOrigin(value);
  described.is_version =
      value.buffer() != nullptr && value.buffer()->origin().variable == cell.number();
  return described;
}

void CheckAssignment(VariableCell& cell, const Tensor& value) {
  CheckAssignment(cell, DescribeAssigned(cell, value), ops::CurrentSite());
}

void CheckAssignment(VariableCell& cell, const AssignedValue& value, const ops::SourceSite& site) {
  const RaceHook hook = CurrentRaceHook();
  if (hook == nullptr) return;
  std::optional<Access> read;
  if (!value.computed_from) {
    // What a thread that serves has read last was read for somebody else.
    if (!value.from_host || Actor::Current().serves()) return;
    read = cell.log().LastRead();
    if (!read) return;
  }
  const uint64_t known = value.computed_from.value_or(read ? read->version : 0);
  if (known >= cell.version()) return;
  // What was computed from an older value loses an update, however the threads took turns.
  const bool computed = value.computed_from.has_value() && !value.is_version;
  const std::optional<Access> written =
      cell.log().UnorderedWriteAfter(known, computed ? Order::kCertain : Order::kHint);
  if (!written) return;
  // Where the end of a thread is not seen, it may have been joined.
  const bool ended = !written->actor->linked() && written->actor->ended();
  if (value.is_version && (ended || VariableHold::InLock(cell))) return;
  if (!read) read = cell.log().ReadOf(known);
  const Actor& self = Actor::Current();
  hook({.kind = RaceFinding::Kind::kLostUpdate,
        .certain = value.computed_from.has_value(),
        .variable = cell.name(),
        .read = PlaceOf(read, known),
        .written = PlaceOf(written, 0),
        .assigned = {cell.version() + 1, self.number(), site.line != 0 ? site : ops::CurrentSite(),
                     self.process(), self.name()}});
}

void CheckGradient(const std::deque<RecordedOp>& operations, const std::vector<Tensor>& sources) {
  const RaceHook hook = CurrentRaceHook();
  for (const Tensor& source : sources) {
    if (hook == nullptr || !source.defined() || source.dtype() != DType::kResource) continue;
    auto* cell = dynamic_cast<VariableCell*>(source.object().get());
    if (cell == nullptr) continue;
    const Versions seen = VersionsSeen(operations, cell->number());
    if (seen.least >= seen.most) continue;
    const std::optional<Access> written = cell->log().UnorderedWriteBetween(seen.least, seen.most);
    if (!written) continue;
    hook({.kind = RaceFinding::Kind::kMixedGradient,
          .variable = cell->name(),
          .read = PlaceOf(cell->log().ReadOf(seen.least), seen.least),
          .written = PlaceOf(written, 0),
          .assigned = PlaceOf(cell->log().ReadOf(seen.most), seen.most)});
  }
}

}  // namespace lockstep::runtime
