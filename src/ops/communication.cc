// The ops by which parts of a graph on different devices and ranks meet. They have no kernels: the
// executor of a segmented program hands them to whoever sends and receives.

#include "ops/op.h"
#include "tensor/sizes.h"

namespace lockstep::ops {

namespace {

std::vector<TensorType> TypeFromAttributes(const InferenceContext& context) {
  const auto dtype = context.attributes.Get<DType>("dtype");
  if (context.attributes.GetOr<bool>("unranked", false)) return {{dtype, Shape::Unranked(), dtype}};
  return {{dtype, Shape(context.attributes.Get<std::vector<int64_t>>("shape")), dtype}};
}

std::vector<TensorType> NoOutputs(const InferenceContext&) { return {}; }

// _Send{key}(tensor): hands a reference to whoever receives under the same key; never waits.
const RegisterOp kSend(
    {.name = "_Send", .infer = NoOutputs, .effects = {.external = true}, .asynchronous = true});

// _Recv{key, dtype, shape | unranked}(): the tensor that was sent under the key.
const RegisterOp kReceive({.name = "_Recv", .infer = TypeFromAttributes, .asynchronous = true});

// One type a list of numbers: dtype, rank, sizes.
std::vector<TensorType> ListedTypes(const InferenceContext& context) {
  const auto& list = context.attributes.Get<std::vector<int64_t>>("outputs");
  std::vector<TensorType> types;
  for (size_t i = 0; i < list.size();) {
    const size_t left = list.size() - i;
    const bool fits = left >= 2 && list[i + 1] >= 0 && list[i + 1] <= Shape::kMaxRank &&
                      static_cast<size_t>(list[i + 1]) <= left - 2;
    if (!fits) {
      throw Error(Code::kInvalidArgument,
                  "[" + context.spec.name + "] outputs must list a dtype, a rank and sizes; got " +
                      tensor::ListText(list));
    }
    const auto dtype = static_cast<DType>(list[i]);
    const auto rank = static_cast<size_t>(list[i + 1]);
    types.push_back({dtype,
                     Shape(std::vector<int64_t>(list.begin() + i + 2, list.begin() + i + 2 + rank)),
                     dtype});
    i += 2 + rank;
  }
  return types;
}

// _Exchange{bucket, fingerprint, outputs, send, receive, keep}(tensors...): pieces of the inputs go
// to other ranks, and theirs come as outputs. `send`: peer, input, first byte, bytes; `receive`:
// peer, output; `keep`: output, input, first byte, for outputs that come from here. Pieces between
// two ranks are in one order at both.
const RegisterOp kExchange({.name = "_Exchange", .infer = ListedTypes, .asynchronous = true});

// _GatherVariables{bucket, fingerprint, borders}(variables...): each rank sends its rows of each
// variable to all others. `borders`: for each variable ranks + 1 numbers of rows.
const RegisterOp kGatherVariables({.name = "_GatherVariables",
                                   .infer = NoOutputs,
                                   .effects = {.reads = ~0u, .writes = ~0u},
                                   .asynchronous = true});

// _VariableRows{begin, size}(variable): a handle of some of its rows, which names the same
// variable.
std::vector<TensorType> InferVariableRows(const InferenceContext& context) {
  TensorType rows = context.inputs[0];
  const auto begin = context.attributes.Get<int64_t>("begin");
  const auto size = context.attributes.Get<int64_t>("size");
  const bool fits =
      rows.shape.rank() > 0 && begin >= 0 && size >= 0 &&
      (rows.shape[0] < 0 || (begin <= rows.shape[0] && size <= rows.shape[0] - begin));
  if (!fits) {
    throw Error(Code::kInvalidArgument, "[" + context.spec.name +
                                            "] the rows must lie in the variable; got begin " +
                                            std::to_string(begin) + " and size " +
                                            std::to_string(size) + " of " + rows.shape.ToString());
  }
  rows.shape.set_dim(0, size);
  return {rows};
}

const RegisterOp kVariableRows({.name = "_VariableRows", .infer = InferVariableRows, .view = true});

}  // namespace

}  // namespace lockstep::ops
