#include "cli/models/models.h"
#include "lockstep/nn/layers.h"

namespace lockstep::cli {

std::unique_ptr<Model> MakeCnn(bool plain) {
  std::vector<LayerPtr> layers{Rescaling(1.0 / 255), Reshape({28, 28, 1}), Conv2D(32, 3, relu),
                               Conv2D(64, 3, relu), MaxPooling2D(2)};
  if (!plain) {
    layers.push_back(BatchNormalization({.momentum = 0.9}));
    layers.push_back(Dropout(0.25));
  }
  layers.push_back(Flatten());
  layers.push_back(Dense(128, relu));
  if (!plain) layers.push_back(Dropout(0.5));
  layers.push_back(Dense(10));
  return std::make_unique<Sequential>(layers);
}

}  // namespace lockstep::cli
