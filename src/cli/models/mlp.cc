#include "cli/models/models.h"
#include "lockstep/nn/layers.h"

namespace lockstep::cli {

std::unique_ptr<Model> MakeMlp() {
  return std::make_unique<Sequential>(std::initializer_list<LayerPtr>{
      Rescaling(1.0 / 255), Flatten(), Dense(128, relu), Dense(10)});
}

}  // namespace lockstep::cli
