#include "lockstep/data/dataset.h"

#include <limits>
#include <utility>

#include "base/log.h"
#include "data/dataset_node.h"
#include "data/rows.h"
#include "runtime/replica.h"

namespace lockstep {

using data::NodePtr;

Dataset::Dataset(NodePtr node) : node_(std::move(node)) {}

Dataset Dataset::FromTensors(const Element& components) {
  return Dataset(data::MakeTensors(components));
}
Dataset Dataset::FromTensorSlices(const Tensor& x) {
  return FromTensorSlices(std::vector<Tensor>{x});
}
Dataset Dataset::FromTensorSlices(const Tensor& x, const Tensor& y) {
  return FromTensorSlices(std::vector<Tensor>{x, y});
}
Dataset Dataset::FromTensorSlices(const std::vector<Tensor>& components) {
  return Dataset(data::MakeSlices(components));
}
Dataset Dataset::Range(int64_t stop) { return Range(0, stop, 1); }
Dataset Dataset::Range(int64_t start, int64_t stop, int64_t step) {
  return Dataset(data::MakeRange(start, stop, step));
}
Dataset Dataset::FromGenerator(std::function<Generator()> make, std::vector<TensorSpec> signature) {
  return Dataset(data::MakeGenerator(std::move(make), std::move(signature)));
}
Dataset Dataset::Random(std::optional<int64_t> seed) { return Dataset(data::MakeRandom(seed)); }
Dataset Dataset::Idx(const std::string& path) { return Dataset(data::MakeIdx(path)); }
Dataset Dataset::Mnist(const std::string& directory, bool train) {
  return Dataset(data::MakeMnist(directory, train));
}
Dataset Dataset::Digits(uint64_t seed, int64_t count, bool train) {
  return Dataset(data::MakeDigitSet(seed, count, train));
}
Dataset Dataset::TextWindows(const std::string& path, int64_t tokens) {
  return Dataset(data::MakeTextWindows(path, tokens));
}

Dataset Dataset::Map(std::function<Element(const Element&)> function,
                     const MapOptions& options) const {
  return Dataset(data::MakeMap(node_, std::move(function), options));
}
Dataset Dataset::Filter(std::function<bool(const Element&)> predicate) const {
  return Dataset(data::MakeFilter(node_, std::move(predicate)));
}
Dataset Dataset::Enumerate(int64_t start) const {
  return Zip({Range(start, std::numeric_limits<int64_t>::max()), *this});
}
Dataset Dataset::Scan(const Element& initial_state, ScanFunction function) const {
  return Dataset(data::MakeScan(node_, initial_state, std::move(function)));
}
Dataset Dataset::Interleave(Expansion function, int64_t cycle, int64_t block) const {
  return Dataset(data::MakeInterleave(node_, std::move(function), cycle, block));
}
Dataset Dataset::Window(int64_t size, int64_t shift, int64_t stride, bool drop_remainder) const {
  return Dataset(data::MakeWindow(node_, size, shift, stride, drop_remainder));
}
Dataset Dataset::PaddedBatch(int64_t size, const std::vector<Shape>& padded_shapes,
                             const std::vector<Tensor>& padding_values, bool drop_remainder) const {
  return Dataset(data::MakePaddedBatch(node_, size, padded_shapes, padding_values, drop_remainder));
}
Dataset Dataset::Batch(int64_t size, bool drop_remainder) const {
  return Dataset(data::MakeBatch(node_, size, drop_remainder));
}
Dataset Dataset::Unbatch() const { return Dataset(data::MakeUnbatch(node_)); }
Dataset Dataset::Rebatch(const std::vector<int64_t>& sizes, bool drop_remainder) const {
  return Dataset(data::MakeRebatch(node_, sizes, drop_remainder));
}
Dataset Dataset::Shuffle(int64_t buffer, const ShuffleOptions& options) const {
  return Dataset(data::MakeShuffle(node_, buffer, options));
}
Dataset Dataset::Repeat(int64_t count) const { return Dataset(data::MakeRepeat(node_, count)); }
Dataset Dataset::Shard(int64_t shards, int64_t index) const {
  return Dataset(data::MakeShard(node_, shards, index));
}
Dataset Dataset::Pieces(const PieceOptions& options) const {
  const auto& [batch, replicas, workers, worker, policy] = options;
  if (replicas < 1 || workers < 1 || replicas % workers != 0 ||
      (policy == ShardPolicy::kOff && batch < replicas)) {
    data::Refuse("pieces", "the workers must divide the replicas, and a batch have a row for each",
                 std::to_string(replicas) + " replicas, " + std::to_string(workers) +
                     " workers, a batch of " + std::to_string(batch),
                 "name the size of a global batch");
  }
  if (policy == ShardPolicy::kData)
    return Dataset(data::MakePieces(node_, replicas)).Shard(workers, worker);
  std::vector<int64_t> sizes;
  for (int64_t i = 0; i < replicas; ++i) {
    const int64_t place = (i + worker * (replicas / workers)) % replicas;
    sizes.push_back(batch / replicas + (place < batch % replicas ? 1 : 0));
  }
  return Rebatch(sizes);
}
Dataset Dataset::Take(int64_t count) const { return Dataset(data::MakeTake(node_, count)); }
Dataset Dataset::Skip(int64_t count) const { return Dataset(data::MakeSkip(node_, count)); }
Dataset Dataset::Zip(const std::vector<Dataset>& datasets) {
  std::vector<NodePtr> nodes;
  for (const Dataset& dataset : datasets) nodes.push_back(dataset.node());
  return Dataset(data::MakeZip(nodes));
}
Dataset Dataset::Concatenate(const Dataset& next) const {
  return Dataset(data::MakeConcatenate(node_, next.node()));
}
Dataset Dataset::Cache() const { return Dataset(data::MakeCache(node_)); }
Dataset Dataset::Prefetch(int elements) const {
  return Dataset(data::MakePrefetch(node_, elements));
}

int64_t Dataset::Cardinality() const { return node_->cardinality(); }
bool Dataset::indexable() const { return node_->indexable(); }
std::optional<std::vector<TensorSpec>> Dataset::element_spec() const { return node_->spec(); }

Element Dataset::At(int64_t index, int64_t epoch) const {
  if (!indexable()) {
    throw Error(Code::kFailedPrecondition,
                "[dataset.at] elements have numbers in indexable datasets only; got a stream; " +
                    Explain());
  }
  const int64_t count = Cardinality();
  if (index < 0 || index >= data::Bound(count) || epoch < 0) {
    throw Error(Code::kOutOfRange, "[dataset.at] the element must exist; got " +
                                       std::to_string(index) + " of pass " + std::to_string(epoch) +
                                       " (" + std::to_string(count) + " elements)");
  }
  return node_->Table(epoch)->At(index);
}

struct DatasetIterator::State {
  NodePtr node;
  DatasetCursor cursor;
  std::unique_ptr<data::ElementReader> reader;  // after `node`, which it uses
  std::optional<Element> element;
  bool hinted = false;
};

DatasetIterator Dataset::begin() const { return Resume({.epoch = node_->NextPass()}); }

Dataset::operator BatchSourceFactory() const {
  return [dataset = *this]() -> BatchSource {
    return [place = dataset.begin(), is_first = true]() mutable -> std::optional<Element> {
      if (!std::exchange(is_first, false) && place != std::default_sentinel) ++place;
      if (place == std::default_sentinel) return std::nullopt;
      return *place;
    };
  };
}

DatasetIterator Dataset::Resume(const DatasetCursor& cursor) const {
  if (cursor.epoch < 0 || cursor.elements < 0) {
    throw Error(Code::kInvalidArgument,
                "[dataset.resume] a cursor must not be negative; got pass " +
                    std::to_string(cursor.epoch) + ", element " + std::to_string(cursor.elements));
  }
  auto state = std::make_shared<DatasetIterator::State>();
  state->node = node_;
  state->cursor = cursor;
  state->reader = node_->Read(cursor.epoch, cursor.elements);
  state->element = state->reader->Next();
  return DatasetIterator(std::move(state));
}

const Element& DatasetIterator::operator*() const {
  if (!state_->element) {
    throw Error(Code::kOutOfRange, "[dataset] the pass has ended; got element " +
                                       std::to_string(state_->cursor.elements));
  }
  return *state_->element;
}

namespace {

// Replicas that take elements themselves divide no batch: each one has its own.
void HintAtDistribution(bool* hinted) {
  if (*hinted || runtime::CurrentReplica() < 1) return;
  *hinted = true;
  base::Log(base::Severity::kWarning,
            "[dataset] replicas take elements from an iterator in their order, each its own; got "
            "one used by replica " +
                std::to_string(runtime::CurrentReplica()) +
                "; to divide each batch over the replicas write strategy.Run(step, "
                "strategy.Split(batch)) around the iterator");
}

}  // namespace

DatasetIterator& DatasetIterator::operator++() {
  HintAtDistribution(&state_->hinted);
  ++state_->cursor.elements;
  state_->element.reset();  // nothing, if this throws
  state_->element = state_->reader->Next();
  return *this;
}

bool DatasetIterator::operator==(std::default_sentinel_t) const {
  return !state_->element.has_value();
}

DatasetCursor DatasetIterator::cursor() const { return state_->cursor; }

}  // namespace lockstep
