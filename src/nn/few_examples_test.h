#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "lockstep/tensor/tensor.h"

/// What small models of several tests are trained on: so many examples that no division is even.
namespace lockstep {

inline constexpr int64_t kExamples = 50;
inline constexpr int64_t kFeatures = 12;

inline Tensor Features() {
  std::vector<float> values(kExamples * kFeatures);
  for (size_t i = 0; i < values.size(); ++i) values[i] = std::sin(0.7f * static_cast<float>(i));
  return Tensor::FromVector(values, Shape{kExamples, kFeatures});
}

inline Tensor Labels() {
  std::vector<int32_t> labels(kExamples);
  for (size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<int32_t>(i * i % 4);
  return Tensor::FromVector(labels, Shape{kExamples});
}

}  // namespace lockstep
