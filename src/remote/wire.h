#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cluster/fields.h"
#include "graph/graph.h"
#include "lockstep/base/status.h"
#include "lockstep/tensor/tensor.h"
#include "net/payload.h"

/// Tensors and graphs as fields of messages between a session and its servers.

namespace lockstep::remote {

void PutTensor(const Tensor& tensor, cluster::FieldWriter* writer);
/// An undefined tensor, and a reader that is not `ok`, for what is no tensor.
Tensor TakeTensor(cluster::FieldReader* reader);

/// From this size on a tensor of numbers goes beside the text of a message, uncopied, and from the
/// second size on it stays where it has arrived.
inline constexpr size_t kBesideFrom = 2048;
inline constexpr size_t kStaysFrom = size_t{64} << 10;
/// The same as `PutTensor`, with large ones as further `bodies`, which keep the tensor's memory.
void PutTensor(const Tensor& tensor, cluster::FieldWriter* writer,
               std::vector<net::Payload>* bodies);
/// `next`: how many of the bodies have been taken.
Tensor TakeTensor(cluster::FieldReader* reader, const std::vector<net::Payload>& bodies,
                  size_t* next);

void PutStatus(const Status& status, cluster::FieldWriter* writer);
Status TakeStatus(cluster::FieldReader* reader);

/// A variable as a graph on the wire names it.
struct WireVariable {
  std::string name;
  DType dtype = DType::kInvalid;
  Shape shape;
  bool trainable = true;
  Tensor begins_with;  // undefined: it has no value until one is assigned
};

/// A queue or an accumulator, as a graph on the wire names it (runtime/shared_object.h).
struct WireObject {
  std::string name;
  std::string kind;
  ops::Attributes spec;
};

/// Errors: InvalidArgument for a resource or attribute that only this process has.
Status PutGraph(const graph::Graph& graph, cluster::FieldWriter* writer);
/// Who gives handles for what a graph names, or throws.
struct WireResources {
  std::function<Tensor(const WireVariable&)> variable;
  std::function<Tensor(const WireObject&)> object;
};
/// Errors: DataLoss for what is no graph, NotFound for an op that is not known here, and what shape
/// rules and `resources` throw.
Result<graph::Graph> TakeGraph(cluster::FieldReader* reader, const WireResources& resources);

}  // namespace lockstep::remote
