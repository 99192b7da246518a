#include "random/generator.h"

#include <algorithm>
#include <string>

#include "lockstep/base/status.h"
#include "random/uniform.h"

namespace lockstep::random {
namespace {

uint32_t Low(int64_t word) { return static_cast<uint32_t>(word); }
uint32_t High(int64_t word) { return static_cast<uint32_t>(static_cast<uint64_t>(word) >> 32); }

template <typename T>
std::vector<T> SplitAs(T seed0, T seed1, uint64_t count) {
  std::vector<T> seeds(2 * count);
  FillFullRange(StatelessStream(seed0, seed1), 0, std::span<T>(seeds));
  return seeds;
}

template <typename T>
std::array<T, 2> FoldInAs(T seed0, T seed1, T data) {
  std::array<T, 2> folded{0, data};
  FillFullRange(StatelessStream(seed0, seed1), 0, std::span<T>(folded.data(), 1));
  return folded;
}

}  // namespace

GeneratorState GeneratorState::FromSeed(int64_t seed) {
  const int64_t extension = seed < 0 ? -1 : 0;
  return {{seed, extension, extension}};
}

GeneratorState GeneratorState::FromSeed(std::span<const int64_t> digits) {
  GeneratorState state;
  if (digits.size() > state.words.size()) {
    throw Error(Code::kInvalidArgument,
                "[Generator.from_seed] a Philox seed has at most 3 words; got " +
                    std::to_string(digits.size()) + "; pass an integer or a shorter vector");
  }
  std::copy(digits.begin(), digits.end(), state.words.end() - digits.size());
  return state;
}

GeneratorState GeneratorState::FromKeyCounter(int64_t key, const std::array<int64_t, 2>& counter) {
  return {{counter[0], counter[1], key}};
}

Stream GeneratorState::stream() const {
  return {{Low(words[2]), High(words[2])},
          {Low(words[0]), High(words[0]), Low(words[1]), High(words[1])}};
}

Stream GeneratorState::ReplicaStream(uint32_t replica_id) const {
  Stream stream = this->stream();
  const auto derived = PhiloxBlock({stream.key, {replica_id, 0, 0, 0}});
  stream.key = {derived[0], derived[1]};
  return stream;
}

void GeneratorState::Skip(uint64_t elements) {
  const uint64_t delta = ReservedBlocks(elements);
  const uint64_t low = static_cast<uint64_t>(words[0]) + delta;
  words[0] = static_cast<int64_t>(low);
  if (low < delta) words[1] = static_cast<int64_t>(static_cast<uint64_t>(words[1]) + 1);
}

Stream GeneratorState::Draw(uint64_t elements) {
  const Stream drawn = stream();
  Skip(elements);
  return drawn;
}

std::vector<int64_t> GeneratorState::MakeSeeds(uint64_t count) {
  std::vector<int64_t> seeds(count);
  FillFullRange(Draw(count), 0, std::span<int64_t>(seeds));
  return seeds;
}

std::vector<GeneratorState> GeneratorState::Split(uint64_t count) {
  std::vector<GeneratorState> generators;
  generators.reserve(count);
  for (int64_t key : MakeSeeds(count)) generators.push_back(FromKeyCounter(key, {0, 0}));
  return generators;
}

std::vector<int64_t> SplitSeed(int64_t seed0, int64_t seed1, uint64_t count) {
  return SplitAs(seed0, seed1, count);
}
std::vector<int32_t> SplitSeed(int32_t seed0, int32_t seed1, uint64_t count) {
  return SplitAs(seed0, seed1, count);
}

std::array<int64_t, 2> FoldIn(int64_t seed0, int64_t seed1, int64_t data) {
  return FoldInAs(seed0, seed1, data);
}
std::array<int32_t, 2> FoldIn(int32_t seed0, int32_t seed1, int32_t data) {
  return FoldInAs(seed0, seed1, data);
}

}  // namespace lockstep::random
