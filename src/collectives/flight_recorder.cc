#include "collectives/flight_recorder.h"

#include <algorithm>
#include <cstring>

namespace lockstep::collectives {
namespace {

// Words of a slot.
enum Word : size_t { kNumber, kWhen, kKinds, kEpoch, kStep, kBucketLine, kCount, kFile, kState };
constexpr size_t kLabel = kState + 1;

uint64_t Kinds(FlightRecord::What what, Phase phase, OpKind kind, DType dtype, size_t label) {
  return static_cast<uint64_t>(what) | static_cast<uint64_t>(phase) << 8 |
         static_cast<uint64_t>(kind) << 16 | static_cast<uint64_t>(dtype) << 24 |
         static_cast<uint64_t>(label) << 32;
}

uint64_t Nanoseconds(base::Time time) {
  return static_cast<uint64_t>(time.time_since_epoch().count());
}

void Put(std::atomic<uint64_t>& word, uint64_t value) {
  word.store(value, std::memory_order_relaxed);
}

}  // namespace

FlightRecorder::FlightRecorder() : slots_(std::make_unique<std::array<Slot, kRecords>>()) {}

void FlightRecorder::Sit(uint64_t epoch, int rank, int num_ranks) {
  epoch_.store(epoch, std::memory_order_relaxed);
  seat_.store(static_cast<uint64_t>(rank) | static_cast<uint64_t>(num_ranks) << 32,
              std::memory_order_relaxed);
}

FlightRecorder::Slot& FlightRecorder::Open(uint64_t number) {
  Slot& slot = (*slots_)[number % kRecords];
  Put(slot.words[kNumber], 0);
  std::atomic_thread_fence(std::memory_order_release);
  return slot;
}

void FlightRecorder::Enter(Phase phase, base::Time now) {
  if (phase == phase_ && last_.load(std::memory_order_relaxed) > 0) return;
  phase_ = phase;
  const uint64_t number = last_.load(std::memory_order_relaxed) + 1;
  Slot& slot = Open(number);
  Put(slot.words[kWhen], Nanoseconds(now));
  Put(slot.words[kKinds],
      Kinds(FlightRecord::What::kPhase, phase, OpKind::kBarrier, DType::kInvalid, 0));
  Put(slot.words[kEpoch], epoch_.load(std::memory_order_relaxed));
  slot.words[kNumber].store(number, std::memory_order_release);
  last_.store(number, std::memory_order_release);
}

uint64_t FlightRecorder::Begin(uint64_t epoch, OpId op, const Call& call, base::Time now) {
  const uint64_t number = last_.load(std::memory_order_relaxed) + 1;
  Slot& slot = Open(number);
  const size_t label = std::min(call.label.size(), kLabelWords * sizeof(uint64_t));
  Put(slot.words[kWhen], Nanoseconds(now));
  Put(slot.words[kKinds],
      Kinds(FlightRecord::What::kCall, Phase::kProgram, call.kind, call.dtype, label));
  Put(slot.words[kEpoch], epoch);
  Put(slot.words[kStep], op.step);
  Put(slot.words[kBucketLine], op.bucket | static_cast<uint64_t>(call.where.line()) << 32);
  Put(slot.words[kCount], call.count);
  // The name of a file lives as long as the program.
  Put(slot.words[kFile], reinterpret_cast<uintptr_t>(call.where.file_name()));
  Put(slot.words[kState], static_cast<uint64_t>(FlightRecord::State::kRunning));
  for (size_t i = 0; i * sizeof(uint64_t) < label; ++i) {
    uint64_t word = 0;
    const size_t begin = i * sizeof(uint64_t);
    std::memcpy(&word, call.label.data() + begin, std::min(sizeof(word), label - begin));
    Put(slot.words[kLabel + i], word);
  }
  slot.words[kNumber].store(number, std::memory_order_release);
  last_.store(number, std::memory_order_release);
  return number;
}

void FlightRecorder::End(uint64_t number, bool ok) {
  Slot& slot = (*slots_)[number % kRecords];
  if (slot.words[kNumber].load(std::memory_order_relaxed) != number) return;  // long ago
  Put(slot.words[kState],
      static_cast<uint64_t>(ok ? FlightRecord::State::kDone : FlightRecord::State::kFailed));
}

void FlightRecorder::Abort(uint64_t epoch, base::Time now) {
  const uint64_t number = last_.load(std::memory_order_relaxed) + 1;
  Slot& slot = Open(number);
  Put(slot.words[kWhen], Nanoseconds(now));
  Put(slot.words[kKinds],
      Kinds(FlightRecord::What::kAbort, Phase::kProgram, OpKind::kBarrier, DType::kInvalid, 0));
  Put(slot.words[kEpoch], epoch);
  slot.words[kNumber].store(number, std::memory_order_release);
  last_.store(number, std::memory_order_release);
}

FlightRecord FlightRecorder::Decode(const std::array<uint64_t, 9 + kLabelWords>& words,
                                    base::Time now) const {
  FlightRecord record;
  record.number = words[kNumber];
  record.age = std::max(base::Duration(0),
                        base::Duration(static_cast<int64_t>(Nanoseconds(now) - words[kWhen])));
  record.what = static_cast<FlightRecord::What>(words[kKinds] & 255);
  record.epoch = words[kEpoch];
  record.phase = static_cast<Phase>(words[kKinds] >> 8 & 255);
  if (record.what != FlightRecord::What::kCall) return record;
  record.kind = static_cast<OpKind>(words[kKinds] >> 16 & 255);
  record.dtype = static_cast<DType>(words[kKinds] >> 24 & 255);
  record.state = static_cast<FlightRecord::State>(words[kState]);
  record.op = {words[kStep], static_cast<uint32_t>(words[kBucketLine])};
  record.line = static_cast<uint32_t>(words[kBucketLine] >> 32);
  record.count = words[kCount];
  record.file = ShortFile(reinterpret_cast<const char*>(words[kFile]));
  record.label.assign(reinterpret_cast<const char*>(&words[kLabel]), words[kKinds] >> 32 & 255);
  return record;
}

FlightLog FlightRecorder::Read(base::Time now, size_t most) const {
  FlightLog log;
  log.epoch = epoch_.load(std::memory_order_relaxed);
  const uint64_t seat = seat_.load(std::memory_order_relaxed);
  log.rank = static_cast<int>(seat & 0xffffffff);
  log.num_ranks = static_cast<int>(seat >> 32);
  const uint64_t last = last_.load(std::memory_order_acquire);
  const uint64_t count = std::min<uint64_t>({last, most, kRecords});
  for (uint64_t number = last - count + 1; number <= last; ++number) {
    const Slot& slot = (*slots_)[number % kRecords];
    std::array<uint64_t, 9 + kLabelWords> words;
    words[0] = slot.words[0].load(std::memory_order_acquire);
    for (size_t i = 1; i < words.size(); ++i)
      words[i] = slot.words[i].load(std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_acquire);
    // Overwritten meanwhile: it is not among the last any more.
    if (words[0] != number || slot.words[0].load(std::memory_order_relaxed) != number) continue;
    log.records.push_back(Decode(words, now));
  }
  return log;
}

}  // namespace lockstep::collectives
