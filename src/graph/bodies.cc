#include "graph/bodies.h"

namespace lockstep::graph {

const Graph* BodyIn(const ops::AttributeValue& value) {
  const auto* object = std::get_if<std::shared_ptr<TensorObject>>(&value);
  return object == nullptr ? nullptr : dynamic_cast<const Graph*>(object->get());
}

std::vector<const Graph*> BodiesOf(const ops::Attributes& attributes) {
  std::vector<const Graph*> bodies;
  for (const auto& [name, value] : attributes.entries())
    if (const Graph* body = BodyIn(value)) bodies.push_back(body);
  return bodies;
}

}  // namespace lockstep::graph
