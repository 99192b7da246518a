#include "distribute/meeting.h"

#include "collectives/tree.h"
#include "distribute/context.h"
#include "distribute/reduction.h"
#include "lockstep/ops/array.h"
#include "ops/builder.h"
#include "ops/object_attribute.h"
#include "runtime/eager.h"

namespace lockstep::distribute {

namespace {

using Parts = std::vector<Part>;
using Answers = std::vector<std::vector<Tensor>>;

std::vector<Tensor> InputOf(const Parts& parts, size_t input) {
  std::vector<Tensor> values;
  for (const Part& part : parts) values.push_back(part.inputs[input]);
  return values;
}

ReduceOp OpOf(const Part& part) {
  return static_cast<ReduceOp>(part.attributes.Get<int64_t>("reduce_op"));
}

Answers AllReduce(Strategy&, const Parts& parts) {
  std::vector<Tensor> sums;
  for (size_t i = 0; i < parts[0].inputs.size(); ++i) {
    sums.push_back(Combine(OpOf(parts[0]), InputOf(parts, i), "all_reduce"));
  }
  return Answers(parts.size(), sums);
}

Answers AllGather(Strategy&, const Parts& parts) {
  const int axis = static_cast<int>(parts[0].attributes.Get<int64_t>("axis"));
  return Answers(parts.size(), {Concat(InputOf(parts, 0), axis)});
}

// The sum of all upstream gradients, of which each replica gets what inputs 1 were before they were
// joined.
Answers ReduceScatter(Strategy&, const Parts& parts) {
  const ops::OpSpec& joined = ops::OpRegistry::Global().Find("ConcatV2");
  const Tensor sum = Combine(ReduceOp::kSum, InputOf(parts, 0), "all_gather");
  Answers answers;
  const std::vector<Tensor> inputs = InputOf(parts, 1);
  for (const Tensor& own : joined.gradient({joined, parts[0].attributes, inputs, {}, {&sum, 1}}))
    answers.push_back({own});
  return answers;
}

// One assignment for all replicas, with their values combined as the aggregation says.
Answers UpdateTogether(Strategy&, const Parts& parts) {
  const Part& first = parts[0];
  std::vector<Tensor> inputs = first.inputs;
  const std::string& update = first.attributes.Get<std::string>("update");
  if (first.attributes.Get<bool>("combine")) {
    const bool scatters = inputs.size() == 3;  // variable, indices, updates
    for (size_t i = 1; i < inputs.size(); ++i) {
      const std::vector<Tensor> values = InputOf(parts, i);
      if (!scatters) {
        inputs[i] = Combine(OpOf(first), values, "assign");
        continue;
      }
      inputs[i] = Concat(values, 0);
      if (i == 2 && OpOf(first) == ReduceOp::kMean) {
        inputs[i] = DividedBy(inputs[i], static_cast<int64_t>(parts.size()));
      }
    }
  }
  return Answers(parts.size(), ops::Emit(update, inputs));
}

Answers MergeCall(Strategy& strategy, const Parts& parts) {
  auto& body = ops::ObjectAttribute<MergeBody>(parts[0].attributes, "body");
  std::vector<std::vector<Tensor>> by_replica;
  for (const Part& part : parts) by_replica.push_back(part.inputs);
  const std::vector<PerReplica> results = body.Run(strategy, by_replica);
  Answers answers(parts.size());
  for (size_t r = 0; r < parts.size(); ++r) {
    for (const PerReplica& result : results)
      answers[r].push_back(result.value(static_cast<int>(r)));
  }
  return answers;
}

struct Kind {
  const char* op;
  const char* name;
  Answers (*carry_out)(Strategy&, const Parts&);
};
constexpr Kind kKinds[] = {{"ReplicaAllReduce", "all_reduce", AllReduce},
                           {"ReplicaAllGather", "all_gather", AllGather},
                           {"ReplicaReduceScatter", "the gradient of all_gather", ReduceScatter},
                           {"ReplicaUpdate", "an assignment", UpdateTogether},
                           {"ReplicaMerge", "merge_call", MergeCall}};

const Kind& KindOf(const std::string& op) {
  for (const Kind& kind : kKinds) {
    if (op == kind.op) return kind;
  }
  throw Error(Code::kInternal, "[run] no meeting is known for " + op);
}

void RequireOneOp(const Parts& parts) {
  for (size_t r = 1; r < parts.size(); ++r) {
    const bool alike =
        parts[r].spec == parts[0].spec && parts[r].inputs.size() == parts[0].inputs.size();
    const bool merges = parts[0].spec->name == "ReplicaMerge";  // closures need not be equal
    if (alike && merges) continue;
    if (alike && parts[r].attributes.Signature() == parts[0].attributes.Signature()) continue;
    throw Error(Code::kFailedPrecondition,
                "[run] all replicas must meet in the same calls; got " +
                    std::string(KindOf(parts[0].spec->name).name) + " of " +
                    std::to_string(parts[0].inputs.size()) + " values on replica 0 and " +
                    KindOf(parts[r].spec->name).name + " of " +
                    std::to_string(parts[r].inputs.size()) + " on replica " + std::to_string(r) +
                    (alike ? ", with other parameters" : ""));
  }
}

}  // namespace

std::vector<std::vector<Tensor>> CarryOut(Strategy& strategy, const std::vector<Part>& parts) {
  const ops::BuilderScope eager(&runtime::EagerBuilder::Instance());
  return EmitMeeting(strategy, parts);
}

std::vector<std::vector<Tensor>> EmitMeeting(Strategy& strategy, const std::vector<Part>& parts) {
  RequireOneOp(parts);
  const CrossReplicaScope cross(strategy);
  return KindOf(parts[0].spec->name).carry_out(strategy, parts);
}

void RequireSummable(const std::vector<Part>& parts) {
  RequireOneOp(parts);
  for (size_t i = 0; i < parts[0].inputs.size(); ++i) RequireAlike(InputOf(parts, i), "all_reduce");
}

bool AllEnded(const std::vector<Standing>& standings) {
  size_t ended = 0;
  for (const Standing& standing : standings) ended += standing.ended;
  if (ended == 0 || ended == standings.size()) return ended > 0;
  std::string got;
  for (size_t r = 0; r < standings.size(); ++r) {
    const Standing& standing = standings[r];
    got += (r == 0 ? "" : ", ") + std::string("replica ") + std::to_string(r);
    if (standing.ended) {
      got += " ended after " + std::to_string(standing.meetings);
    } else {
      got += " waits in number " + std::to_string(standing.meetings) + " (" +
             KindOf(standing.op).name + ")";
    }
  }
  throw Error(Code::kFailedPrecondition, "[run] all replicas must meet equally often; got " + got +
                                             "; call collectives on all replicas or on none");
}

std::vector<Tensor> SoloMeeter::Meet(Part part) {
  return CarryOut(strategy_, {std::move(part)})[0];
}

}  // namespace lockstep::distribute
