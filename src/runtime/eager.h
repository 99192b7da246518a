#pragma once

#include "ops/builder.h"
#include "tensor/origins.h"

namespace lockstep::runtime {

/// Carries out every op at once on the calling thread.
class EagerBuilder : public ops::Builder {
 public:
  static EagerBuilder& Instance();
  std::vector<Tensor> Emit(const ops::OpSpec& spec, const std::vector<Tensor>& inputs,
                           const ops::Attributes& attributes) override;

 private:
  std::vector<Tensor> CarryOut(const ops::OpSpec& spec, const std::vector<Tensor>& inputs,
                               const ops::Attributes& attributes,
                               std::vector<tensor::Origin>* read);
};

}  // namespace lockstep::runtime
