#include "lockstep/distribute/replica_context.h"

#include "distribute/meeting.h"
#include "distribute/merge.h"
#include "distribute/reduction.h"
#include "lockstep/distribute/strategy.h"
#include "lockstep/ops/indexed_slices.h"
#include "ops/builder.h"
#include "runtime/eager.h"

namespace lockstep {

namespace distribute {
namespace {

// The replica's own tapes have not seen what happened in the meeting; that they can't differentiate
// it, they say when they are asked.
void TellReplicaTapes(const Part& part, const std::vector<Tensor>& results) {
  if (!ops::IsRecording()) return;
  std::vector<Tensor> inputs, outputs;
  for (const Tensor& input : part.inputs) {
    if (input.defined()) inputs.push_back(input);
  }
  for (const Tensor& result : results) {
    if (result.defined()) outputs.push_back(result);
  }
  size_t outside;
  {
    const ops::MeetingRecording meeting;
    outside = ops::Recorders().size();
  }
  const auto all = ops::Recorders();
  for (size_t i = outside; i < all.size(); ++i) {
    all[i]->Record(*part.spec, part.attributes, inputs, outputs);
  }
}

}  // namespace
}  // namespace distribute

Tensor ReplicaContext::replica_id_in_sync_group() const { return ops::Emit1("ReplicaId", {}); }

int ReplicaContext::num_replicas_in_sync() const { return strategy_.num_replicas_in_sync(); }

std::vector<Tensor> ReplicaContext::AllReduce(ReduceOp op,
                                              const std::vector<Tensor>& values) const {
  std::vector<Tensor> dense, results(values.size());
  std::vector<size_t> places;
  for (size_t i = 0; i < values.size(); ++i) {
    if (!values[i].defined()) {
      throw Error(Code::kInvalidArgument,
                  "[all_reduce] every value must exist; got an empty tensor at place " +
                      std::to_string(i) + "; leave it out on all replicas");
    }
    if (const IndexedSlices* slices = IndexedSlices::Of(values[i])) {
      Tensor rows = AllGather(slices->values, 0);
      if (op == ReduceOp::kMean) rows = distribute::DividedBy(rows, num_replicas_in_sync());
      results[i] =
          IndexedSlices{rows, AllGather(slices->indices, 0), slices->dense_shape}.ToTensor();
      continue;
    }
    std::vector<Tensor> one{values[i]};
    ops::ResolveWeak(one, "all_reduce");
    dense.push_back(one[0]);
    places.push_back(i);
  }
  if (dense.empty()) return results;
  const auto sums = ops::Emit("ReplicaAllReduce", dense, {{"reduce_op", static_cast<int64_t>(op)}});
  for (size_t k = 0; k < places.size(); ++k) results[places[k]] = sums[k];
  return results;
}

Tensor ReplicaContext::AllReduce(ReduceOp op, const Tensor& value) const {
  return AllReduce(op, std::vector<Tensor>{value})[0];
}

Tensor ReplicaContext::AllGather(const Tensor& value, int axis) const {
  return ops::Emit1("ReplicaAllGather", {value},
                    {{"axis", int64_t{NormalizeAxis(axis, value.rank(), "all_gather")}}});
}

std::vector<Tensor> ReplicaContext::MergeCall(const MergeFunction& function,
                                              const std::vector<Tensor>& arguments) const {
  const bool eager = &ops::CurrentBuilder() == &runtime::EagerBuilder::Instance();
  if (!eager) return distribute::TraceMerge(strategy_, function, arguments);
  distribute::Part part{&ops::OpRegistry::Global().Find("ReplicaMerge"),
                        {{"body", distribute::EagerMerge(function)}},
                        arguments};
  if (num_replicas_in_sync() == 1) return distribute::SoloMeeter(strategy_).Meet(std::move(part));
  std::vector<Tensor> results = meeter_->Meet(part);
  distribute::TellReplicaTapes(part, results);
  return results;
}

}  // namespace lockstep
