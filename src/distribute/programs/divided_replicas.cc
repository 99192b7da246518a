#include "distribute/programs/divided_replicas.h"

#include <cstring>
#include <utility>

#include "cluster/fields.h"
#include "collectives/all_reduce.h"
#include "collectives/element_sum.h"
#include "distribute/reduction.h"
#include "lockstep/ops/indexed_slices.h"
#include "tensor/buffer.h"

namespace lockstep::distribute {

namespace {

using cluster::FieldReader;
using cluster::FieldWriter;

// From so many bytes of all tensors on, parts are added where they are.
constexpr size_t kSumFrom = 64 << 10;
constexpr size_t kMostStrings = 1 << 24;

enum class TensorKind : uint8_t { kNone, kBytes, kStrings, kHandle, kType, kSlices };

TensorKind KindOf(const Tensor& tensor, bool types_only) {
  if (!tensor.defined()) return TensorKind::kNone;
  if (tensor.dtype() == DType::kResource) return TensorKind::kHandle;
  if (IndexedSlices::Of(tensor) != nullptr) return TensorKind::kSlices;
  if (types_only) return TensorKind::kType;
  return tensor.dtype() == DType::kString ? TensorKind::kStrings : TensorKind::kBytes;
}

void Write(const Shape& shape, FieldWriter* writer) {
  writer->Put(static_cast<uint32_t>(shape.rank()));
  for (int axis = 0; axis < shape.rank(); ++axis) writer->Put(shape[axis]);
}

void Write(const Tensor& tensor, bool types_only, FieldWriter* writer) {
  const TensorKind kind = KindOf(tensor, types_only);
  writer->Put(static_cast<uint8_t>(kind));
  if (kind == TensorKind::kNone || kind == TensorKind::kHandle) return;
  if (kind == TensorKind::kSlices) {
    const IndexedSlices& slices = *IndexedSlices::Of(tensor);
    Write(slices.values, types_only, writer);
    Write(slices.indices, types_only, writer);
    Write(slices.dense_shape, writer);
    return;
  }
  writer->Put(static_cast<uint8_t>(tensor.dtype()));
  Write(tensor.shape(), writer);
  if (kind == TensorKind::kStrings)
    for (const std::string& text : tensor.data<std::string>()) writer->PutText(text);
  if (kind == TensorKind::kBytes)
    writer->PutText({static_cast<const char*>(tensor.raw_data()), tensor.num_bytes()});
}

// How many elements a shape has; -1 for what no message of `most` bytes can hold.
int64_t CountOf(const std::vector<int64_t>& dims, size_t most) {
  int64_t count = 1;
  for (const int64_t dim : dims)
    if (dim < 0 || __builtin_mul_overflow(count, dim, &count)) return -1;
  return static_cast<uint64_t>(count) <= most ? count : -1;
}

[[noreturn]] void Refuse(const std::string& got) {
  throw Error(Code::kDataLoss, "[run] a message must hold whole tensors; got " + got);
}

std::vector<int64_t> ReadDims(FieldReader& reader) {
  std::vector<int64_t> dims(reader.TakeCount());
  for (int64_t& dim : dims) dim = reader.Take<int64_t>();
  return dims;
}

Tensor ReadPlain(FieldReader& reader, const Tensor* local) {
  const auto kind = static_cast<TensorKind>(reader.Take<uint8_t>());
  if (kind == TensorKind::kNone) return Tensor();
  if (kind == TensorKind::kHandle) return local == nullptr ? Tensor() : *local;
  const auto dtype = static_cast<DType>(reader.Take<uint8_t>());
  const std::vector<int64_t> dims = ReadDims(reader);
  const bool is_string = dtype == DType::kString;
  if (!reader.ok() || is_string != (kind == TensorKind::kStrings))
    Refuse("kind " + std::to_string(static_cast<int>(kind)) + " of dtype " +
           std::to_string(static_cast<int>(dtype)));
  if (kind == TensorKind::kType)
    return Tensor::FromBuffer(tensor::Buffer::Allocate(dtype, 0), dtype, Shape(dims));
  const std::string bytes = is_string ? "" : reader.TakeText();
  const int64_t count = CountOf(dims, is_string ? kMostStrings : bytes.size());
  if (count < 0 || (!is_string && bytes.size() != DTypeSize(dtype) * static_cast<size_t>(count)))
    Refuse(std::to_string(bytes.size()) + " bytes for " + Shape(dims).ToString());
  auto buffer = tensor::Buffer::Allocate(dtype, static_cast<size_t>(count));
  auto* texts = static_cast<std::string*>(buffer->data());
  for (int64_t i = 0; is_string && i < count; ++i) texts[i] = reader.TakeText();
  if (!bytes.empty()) std::memcpy(buffer->data(), bytes.data(), bytes.size());
  return Tensor::FromBuffer(std::move(buffer), dtype, Shape(dims));
}

Tensor Read(FieldReader& reader, const Tensor* local) {
  if (!reader.rest().empty() && reader.rest()[0] != static_cast<char>(TensorKind::kSlices))
    return ReadPlain(reader, local);
  reader.Take<uint8_t>();
  IndexedSlices slices;
  slices.values = ReadPlain(reader, nullptr);
  slices.indices = ReadPlain(reader, nullptr);
  slices.dense_shape = Shape(ReadDims(reader));
  if (!reader.ok() || !slices.values.defined() || !slices.indices.defined())
    Refuse("slices without values or indices");
  return slices.ToTensor();
}

size_t BytesOf(const std::vector<Tensor>& tensors) {
  size_t bytes = 0;
  for (const Tensor& tensor : tensors) bytes += tensor.defined() ? tensor.num_bytes() : 0;
  return bytes;
}

// What tells meetings apart: bodies of merge calls are of each rank's own making.
std::string SignatureOf(const Part& part) {
  ops::Attributes plain;
  for (const auto& [name, value] : part.attributes.entries())
    if (!std::holds_alternative<std::shared_ptr<TensorObject>>(value) &&
        !std::holds_alternative<Tensor>(value))
      plain.Set(name, value);
  return plain.Signature();
}

void Write(const Turn& turn, FieldWriter* writer) {
  writer->Put(static_cast<uint8_t>(turn.standing.ended));
  writer->Put(static_cast<int32_t>(turn.standing.meetings));
  writer->PutText(turn.standing.op);
  const bool ended = turn.standing.ended;
  writer->PutText(ended ? "" : SignatureOf(turn.part));
  writer->PutText(EncodeTensors(ended ? turn.results : turn.part.inputs,
                                !ended && DividedReplicas::IsSummed(turn.part)));
}

// `like`: a turn of this rank, whose attributes and handles stand for those of another.
Turn Read(FieldReader& reader, const Turn* like) {
  Turn turn;
  turn.standing.ended = reader.Take<uint8_t>() != 0;
  turn.standing.meetings = reader.Take<int32_t>();
  turn.standing.op = reader.TakeText();
  const std::string signature = reader.TakeText();
  const std::string bytes = reader.TakeText();
  static const std::vector<Tensor> kNone;
  auto tensors = DecodeTensors(bytes, like == nullptr ? kNone : like->part.inputs);
  if (turn.standing.ended) {
    turn.results = std::move(tensors);
    return turn;
  }
  turn.part.inputs = std::move(tensors);
  turn.part.spec = &ops::OpRegistry::Global().Find(turn.standing.op);
  const bool alike = like != nullptr && !like->standing.ended &&
                     turn.part.spec == like->part.spec && signature == SignatureOf(like->part);
  // What differs is left out, so that it is found to differ.
  if (alike) turn.part.attributes = like->part.attributes;
  return turn;
}

[[noreturn]] void Throw(const std::string& text, int worker) {
  throw Error(
      static_cast<Code>(text[0]),
      text.substr(1) + (worker < 0 ? " (a server)" : " (worker " + std::to_string(worker) + ")"));
}

}  // namespace

std::string EncodeTensors(const std::vector<Tensor>& tensors, bool types_only) {
  FieldWriter writer;
  writer.Put(static_cast<uint32_t>(tensors.size()));
  for (const Tensor& tensor : tensors) Write(tensor, types_only, &writer);
  return writer.Take();
}

std::vector<Tensor> DecodeTensors(std::string_view bytes, const std::vector<Tensor>& local) {
  FieldReader reader(bytes);
  std::vector<Tensor> tensors(reader.TakeCount());
  for (size_t i = 0; i < tensors.size(); ++i)
    tensors[i] = Read(reader, i < local.size() ? &local[i] : nullptr);
  if (!reader.ok()) Refuse(std::to_string(bytes.size()) + " bytes");
  return tensors;
}

DividedReplicas::DividedReplicas(Communicator& ranks, int replicas)
    : ranks_(ranks),
      replicas_(replicas),
      borders_(ranks.roles().Divide(replicas, ranks.roles().leaf_ranks())) {}

bool DividedReplicas::IsSummed(const Part& part) {
  if (part.spec->name != "ReplicaAllReduce" || BytesOf(part.inputs) < kSumFrom) return false;
  for (const Tensor& input : part.inputs)
    if (!input.defined() || !collectives::CanAdd(input.dtype())) return false;
  return true;
}

std::vector<Turn> DividedReplicas::Exchange(const std::vector<Turn>& own, const Turn* like,
                                            const std::optional<Status>& fault) {
  FieldWriter writer;
  std::string error;
  if (fault) error = std::string(1, static_cast<char>(fault->code())) + fault->message();
  writer.PutText(error);
  for (const Turn& turn : own) {
    if (fault) break;
    Write(turn, &writer);
  }
  const std::vector<std::string> all = ranks_.AllGather(writer.Take());
  std::vector<Turn> turns;
  for (int rank = 0; rank < ranks_.num_ranks(); ++rank) {
    FieldReader reader(all[rank]);
    if (const std::string text = reader.TakeText(); !text.empty())
      Throw(text, ranks_.roles().WorkerOf(rank));
  }
  for (int rank = 0; rank < ranks_.num_ranks(); ++rank) {
    if (rank == ranks_.rank()) {
      turns.insert(turns.end(), own.begin(), own.end());
      continue;
    }
    FieldReader reader(all[rank]);
    reader.TakeText();
    for (int replica = BeginOf(rank); replica < BeginOf(rank + 1); ++replica)
      turns.push_back(Read(reader, own.empty() ? like : &own[0]));
    if (!reader.ok()) Refuse(std::to_string(all[rank].size()) + " bytes");
  }
  return turns;
}

std::vector<Tensor> DividedReplicas::Sum(const std::vector<Turn>& all) {
  std::vector<collectives::Leaf> borders;
  for (int rank = 0; rank <= ranks_.num_ranks(); ++rank)
    borders.push_back(static_cast<collectives::Leaf>(BeginOf(rank)));
  const auto division = collectives::Division::FromBorders(borders).OrThrow();
  const std::vector<Tensor>& first = all[0].part.inputs;
  const uint64_t step = ranks_.NextStep();
  std::vector<Tensor> sums;
  size_t missing = first.size();
  Status status;
  for (size_t i = 0; i < first.size(); ++i) {
    const DType dtype = first[i].dtype();
    const auto count = static_cast<size_t>(first[i].shape().num_elements());
    const net::Block sum = ranks_.group().Allocate(count * DTypeSize(dtype));
    collectives::SumRequest request{.id = {step, static_cast<uint32_t>(i)},
                                    .dtype = dtype,
                                    .count = count,
                                    .division = division};
    static constexpr std::byte kNoElements{};
    for (int replica = begin(); replica < end(); ++replica) {
      const auto leaf = static_cast<collectives::Leaf>(replica);
      const auto* data = static_cast<const std::byte*>(all[replica].part.inputs[i].raw_data());
      request.contributions.push_back({{leaf, leaf + 1}, count == 0 ? &kNoElements : data});
    }
    request.output = sum.bytes.data();
    request.output_keeper = sum.owner;
    request.label = "replicas";
    request.shape = first[i].shape().ToString();
    sums.push_back(
        Tensor::FromBuffer(tensor::Buffer::Borrow(dtype, count, sum.bytes.data(), sum.owner), dtype,
                           first[i].shape()));
    collectives::AllReduceSum(ranks_.group(), std::move(request),
                              [&](const Result<collectives::Reduced>& result) {
                                --missing;
                                if (status.ok()) status = result.status();
                              });
  }
  ranks_.WaitUntil([&missing] { return missing == 0; });
  status.OrThrow();
  if (static_cast<ReduceOp>(all[0].part.attributes.Get<int64_t>("reduce_op")) == ReduceOp::kMean)
    for (Tensor& sum : sums) sum = DividedBy(sum, replicas_);
  return sums;
}

}  // namespace lockstep::distribute
