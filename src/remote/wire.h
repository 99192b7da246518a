#pragma once

#include <functional>
#include <string>

#include "cluster/fields.h"
#include "graph/graph.h"
#include "lockstep/base/status.h"
#include "lockstep/tensor/tensor.h"

/// Tensors and graphs as fields of messages between a session and its servers.

namespace lockstep::remote {

void PutTensor(const Tensor& tensor, cluster::FieldWriter* writer);
/// An undefined tensor, and a reader that is not `ok`, for what is no tensor.
Tensor TakeTensor(cluster::FieldReader* reader);

void PutStatus(const Status& status, cluster::FieldWriter* writer);
Status TakeStatus(cluster::FieldReader* reader);

/// A variable as a graph on the wire names it.
struct WireVariable {
  std::string name;
  DType dtype = DType::kInvalid;
  Shape shape;
  bool trainable = true;
};

/// Errors: InvalidArgument for a resource or attribute that only this process has.
Status PutGraph(const graph::Graph& graph, cluster::FieldWriter* writer);
/// `resource` gives the handle for a variable, or throws. Errors: DataLoss for what is no graph,
/// NotFound for an op that is not known here, and what shape rules throw.
Result<graph::Graph> TakeGraph(cluster::FieldReader* reader,
                               const std::function<Tensor(const WireVariable&)>& resource);

}  // namespace lockstep::remote
