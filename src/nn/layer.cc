#include "lockstep/nn/layer.h"

#include "base/hash.h"

namespace lockstep {

Tensor Layer::operator()(const Tensor& input, bool training) {
  return (*this)(std::vector<Tensor>{input}, training);
}

Tensor Layer::operator()(const std::vector<Tensor>& inputs, bool training) {
  if (name_.empty()) name_ = type_;
  if (!built_) {
    std::vector<Shape> shapes;
    for (const Tensor& input : inputs) shapes.push_back(input.shape());
    Build(shapes);
    built_ = true;
  }
  return Call(inputs, training);
}

Variable Layer::AddWeight(const std::string& name, const Shape& shape, WeightOptions options) {
  const std::string full_name = name_ + "/" + name;
  // The same bits for the same name and global seed, whoever creates the weight and when.
  const int64_t drawn_seed = static_cast<int64_t>(
      base::Hash64(full_name, static_cast<uint64_t>(RandomSeed())) % 2147483647u);
  Variable variable([&] { return options.initializer->Make(shape, options.dtype, drawn_seed); },
                    {.name = full_name, .trainable = options.trainable});
  weights_.push_back({variable, options.regularizer, options.constraint});
  return variable;
}

void Layer::Refuse(const std::string& text, const Shape& got) const {
  throw Error(Code::kInvalidArgument, "[" + name_ + "] " + text + "; got " + got.ToString());
}

}  // namespace lockstep
