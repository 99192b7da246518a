#include "random/normal.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "random/elementary.h"
#include "random/fill_blocks.h"
#include "random/unit_interval.h"

namespace lockstep::random {
namespace {

// Smallest uniform that enters the logarithm.
constexpr float kEpsilonFloat = 1.0e-7f;
constexpr double kEpsilonDouble = 1.0e-7;
constexpr double kTwoPi = 2 * std::numbers::pi;

// Two words make two normals; the sine comes first.
void BoxMuller(uint32_t word0, uint32_t word1, float* normals) {
  const float uniform = std::max(UnitFloat(word0), kEpsilonFloat);
  const float angle = static_cast<float>(kTwoPi * UnitFloat(word1));
  const float radius = std::sqrt(-2.0f * Log(uniform));
  const SinCos turn = SineCosine(angle);
  normals[0] = static_cast<float>(turn.sine) * radius;
  normals[1] = static_cast<float>(turn.cosine) * radius;
}

// Four words make two normals of float64.
void BoxMuller(const uint32_t* words, double* normals) {
  const double uniform = std::max(UnitDouble(words[0], words[1]), kEpsilonDouble);
  const double radius = std::sqrt(-2.0 * Log(uniform));
  const SinCos turn = SineCosine(kTwoPi * UnitDouble(words[2], words[3]));
  normals[0] = turn.sine * radius;
  normals[1] = turn.cosine * radius;
}

template <typename T>
void ScaleNormals(std::span<T> out, T mean, T deviation) {
  if (mean == 0 && deviation == 1) return;
  for (T& value : out) value = value * deviation + mean;
}

// The normals of a block: four of float32 or two of float64.
void BlockNormals(const uint32_t* words, float* normals) {
  BoxMuller(words[0], words[1], normals);
  BoxMuller(words[2], words[3], normals + 2);
}
void BlockNormals(const uint32_t* words, double* normals) { BoxMuller(words, normals); }

// Draws from the group's own part of the stream until it is full.
template <typename T, int kGroup>
void DrawGroup(Stream part, T* group) {
  for (int filled = 0; filled < kGroup; part.Skip(1)) {
    T normals[kGroup];
    BlockNormals(PhiloxBlock(part).data(), normals);
    for (int i = 0; i < kGroup && filled < kGroup; ++i) {
      if (std::abs(normals[i]) < T{2}) group[filled++] = normals[i];
    }
  }
}

template <typename T, int kGroup>
void FillTruncatedGroups(const Stream& stream, uint64_t first, std::span<T> out) {
  constexpr uint64_t kBlocksPerGroup = 64 * kGroup;  // 256 blocks are reserved per four outputs
  uint64_t index = first / kGroup;
  uint64_t lead = first % kGroup;
  while (!out.empty()) {
    T group[kGroup];
    DrawGroup<T, kGroup>(stream.After(index * kBlocksPerGroup), group);
    const size_t count = std::min<size_t>(out.size(), kGroup - lead);
    std::copy_n(group + lead, count, out.data());
    out = out.subspan(count);
    ++index;
    lead = 0;
  }
}

}  // namespace

void FillNormal(const Stream& stream, uint64_t first, std::span<float> out, float mean,
                float deviation) {
  FillByBlock<4>(stream, first, out,
                 [](const uint32_t* words, float* elements) { BlockNormals(words, elements); });
  ScaleNormals(out, mean, deviation);
}

void FillNormal(const Stream& stream, uint64_t first, std::span<double> out, double mean,
                double deviation) {
  FillByBlock<2>(stream, first, out,
                 [](const uint32_t* words, double* elements) { BoxMuller(words, elements); });
  ScaleNormals(out, mean, deviation);
}

void FillTruncatedNormal(const Stream& stream, uint64_t first, std::span<float> out, float mean,
                         float deviation) {
  FillTruncatedGroups<float, 4>(stream, first, out);
  ScaleNormals(out, mean, deviation);
}

void FillTruncatedNormal(const Stream& stream, uint64_t first, std::span<double> out, double mean,
                         double deviation) {
  FillTruncatedGroups<double, 2>(stream, first, out);
  ScaleNormals(out, mean, deviation);
}

}  // namespace lockstep::random
