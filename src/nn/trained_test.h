#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "lockstep/nn/model.h"
#include "nn/few_examples_test.h"

/// What tests compare of trainings on the few examples.
namespace lockstep {

struct Trained {
  std::string weights;
  std::string state;
  std::map<std::string, std::vector<double>> history;
  Logs evaluated;
  std::string predictions;
  bool operator==(const Trained&) const = default;
};

inline Trained EndOf(Model& model, const History& history) {
  const Tensor predictions = model.Predict(Features(), 20);
  return {model.WeightsDigest(), model.StateDigest(), history.history,
          model.Evaluate(Features(), Labels(), 20),
          std::to_string(base::Hash64(std::string_view(
              static_cast<const char*>(predictions.raw_data()), predictions.num_bytes())))};
}

inline void ExpectIs(const Trained& expected, const Trained& own, const std::string& where) {
  EXPECT_EQ(own.weights, expected.weights) << where;
  EXPECT_EQ(own.state, expected.state) << where;
  EXPECT_EQ(own.history, expected.history) << where;
  EXPECT_EQ(own.evaluated, expected.evaluated) << where;
  EXPECT_EQ(own.predictions, expected.predictions) << where;
}

}  // namespace lockstep
