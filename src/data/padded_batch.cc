#include <algorithm>
#include <utility>

#include "data/dataset_node.h"
#include "data/rows.h"
#include "lockstep/ops/array.h"

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

Element PadAndStack(std::vector<Element> elements, const std::vector<Shape>& shapes,
                    double padding_value) {
  for (size_t c = 0; c < elements[0].size(); ++c) {
    const Shape target = Target(elements, c, shapes.empty() ? nullptr : &shapes.at(c));
    for (Element& element : elements) {
      std::vector<AxisPadding> paddings;
      for (int axis = 0; axis < target.rank(); ++axis)
        paddings.push_back({0, target[axis] - element[c].shape()[axis]});
      if (!(element[c].shape() == target))
        element[c] = Pad(element[c], paddings, PadMode::kConstant, padding_value);
    }
  }
  return StackElements(elements, "padded_batch");
}

}  // namespace

NodePtr MakePaddedBatch(NodePtr input, int64_t size, const std::vector<Shape>& shapes,
                        double padding_value, bool drop_remainder) {
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
      return PadAndStack(std::move(elements), shapes, padding_value);
    };
  };
  return MakeStream(std::move(input), std::move(step));
}

}  // namespace lockstep::data
