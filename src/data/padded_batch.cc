#include <algorithm>
#include <utility>

#include "data/dataset_node.h"
#include "data/rows.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/math.h"

namespace lockstep::data {

namespace {

// The shape to which component `component` of all elements is padded.
Shape Target(const std::vector<Element>& elements, size_t component, const Shape* wanted) {
  Shape target = elements[0][component].shape();
  for (const Element& element : elements) {
    const Shape& shape = element[component].shape();
    if (shape.rank() != target.rank() || (wanted != nullptr && wanted->rank() != shape.rank())) {
      Refuse("padded_batch", "the elements of a batch must have one rank",
             shape.ToString() + " and " + (wanted != nullptr ? *wanted : target).ToString(),
             "bring them to one rank by Map");
    }
    for (int axis = 0; axis < shape.rank(); ++axis)
      target.set_dim(axis, std::max(target[axis], shape[axis]));
  }
  if (wanted == nullptr) return target;
  for (int axis = 0; axis < target.rank(); ++axis) {
    if ((*wanted)[axis] < 0) continue;
    if (target[axis] > (*wanted)[axis]) {
      throw Error(Code::kDataLoss,
                  "[dataset.padded_batch] no element may be larger than the "
                  "padded shape " +
                      wanted->ToString() + "; got " + target.ToString() + " (component " +
                      std::to_string(component) + ")");
    }
    target.set_dim(axis, (*wanted)[axis]);
  }
  return target;
}

// Strings, each at its place in a block of others.
Tensor PadStrings(const Tensor& tensor, const Shape& target, const std::string& value) {
  const Shape& shape = tensor.shape();
  const std::vector<std::string> own = tensor.ToVector<std::string>();
  std::vector<std::string> all(target.num_elements(), value);
  for (size_t i = 0; i < own.size(); ++i) {
    int64_t place = 0, rest = static_cast<int64_t>(i), stride = 1;
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
      place += rest % shape[axis] * stride;
      rest /= shape[axis];
      stride *= target[axis];
    }
    all[place] = own[i];
  }
  return Tensor::FromStrings(all, target);
}

Tensor PadTo(const Tensor& tensor, const Shape& target, const Tensor& value) {
  if (tensor.shape() == target) return tensor;
  if (tensor.dtype() == DType::kString)
    return PadStrings(tensor, target, value.defined() ? value.scalar<std::string>() : "");
  std::vector<AxisPadding> paddings;
  for (int axis = 0; axis < target.rank(); ++axis)
    paddings.push_back({0, target[axis] - tensor.shape()[axis]});
  const double number = value.defined() ? Cast(value, DType::kFloat64).scalar<double>() : 0;
  return Pad(tensor, paddings, PadMode::kConstant, number);
}

// The value for a component: its own, or that of all that have numbers.
Tensor ValueFor(const std::vector<Tensor>& values, size_t component, DType dtype) {
  if (values.size() > 1) return values.at(component);
  if (values.empty() || (values[0].dtype() == DType::kString) != (dtype == DType::kString))
    return Tensor();
  return values[0];
}

Element PadAndStack(std::vector<Element> elements, const std::vector<Shape>& shapes,
                    const std::vector<Tensor>& values) {
  const size_t components = elements[0].size();
  if (values.size() > 1 && values.size() != components) {
    Refuse("padded_batch", "there must be one padding value, or one for each component",
           std::to_string(values.size()) + " for " + std::to_string(components), "name them all");
  }
  for (size_t c = 0; c < components; ++c) {
    const Shape target = Target(elements, c, shapes.empty() ? nullptr : &shapes.at(c));
    const Tensor value = ValueFor(values, c, elements[0][c].dtype());
    for (Element& element : elements) element[c] = PadTo(element[c], target, value);
  }
  return StackElements(elements, "padded_batch");
}

}  // namespace

NodePtr MakePaddedBatch(NodePtr input, int64_t size, const std::vector<Shape>& shapes,
                        const std::vector<Tensor>& padding_values, bool drop_remainder) {
  if (size < 1) {
    Refuse("padded_batch", "the size of a batch must be at least 1", std::to_string(size),
           "name the number of examples");
  }
  const int64_t all = input->cardinality();
  StreamStep step{"padded_batch(" + std::to_string(size) + ")",
                  "the shape of a batch is known when it is read",
                  all < 0 ? all : all / size + (all % size != 0 && !drop_remainder ? 1 : 0)};
  step.open = [=](std::shared_ptr<ElementReader> reader) -> Dataset::Generator {
    return [=]() -> std::optional<Element> {
      std::vector<Element> elements;
      while (static_cast<int64_t>(elements.size()) < size) {
        std::optional<Element> element = reader->Next();
        if (!element) break;
        elements.push_back(std::move(*element));
      }
      if (elements.empty() || (drop_remainder && static_cast<int64_t>(elements.size()) < size))
        return std::nullopt;
      return PadAndStack(std::move(elements), shapes, padding_values);
    };
  };
  return MakeStream(std::move(input), std::move(step));
}

}  // namespace lockstep::data
