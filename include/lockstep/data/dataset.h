#pragma once

#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/tensor/tensor.h"

namespace lockstep {

namespace data {
class DatasetNode;
}

/// What a dataset yields: the components of an example or of a batch, such as {x, y}.
using Element = std::vector<Tensor>;

/// The dtype of a component, and its shape as far as it is the same for all elements.
struct TensorSpec {
  DType dtype = DType::kFloat32;
  Shape shape;
  /// "float32 [?,28,28]"
  std::string ToString() const;
  bool operator==(const TensorSpec&) const = default;
};

/// A place in the elements of a dataset: `elements` of pass `epoch` have been read.
struct DatasetCursor {
  int64_t epoch = 0;
  int64_t elements = 0;
  bool operator==(const DatasetCursor&) const = default;
};

/// Cardinalities that are no count.
constexpr int64_t kInfiniteCardinality = -1;
constexpr int64_t kUnknownCardinality = -2;
/// For numbers of threads and of elements read ahead: as many as fit the machine.
constexpr int kAutotune = -1;

struct ShuffleOptions {
  /// Without a seed the next of the sequence that follows from `SetSeed`; without that, any.
  std::optional<int64_t> seed = {};
  /// Whether every pass has an order of its own.
  bool reshuffle_each_iteration = true;
};

struct MapOptions {
  /// How many elements are computed side by side (kAutotune: the cores); the order stays.
  int num_parallel = 1;
  /// Whether the result depends on more than the element, so that elements cannot be computed alone
  /// or again.
  bool stateful = false;
};

/// Gives one batch after another, each a list of tensors whose axis 0 holds the examples; nothing
/// at the end. The seam between datasets and strategies.
using BatchSource = std::function<std::optional<Element>()>;
/// Begins a pass over the data: gives a fresh source.
using BatchSourceFactory = std::function<BatchSource()>;

class DatasetIterator;

/// A sequence of elements that is described, not held: transformations give new datasets and read
/// nothing. Two kinds: in an *indexable* dataset element i is a function of i, so it can be read
/// from anywhere, in parts, and again, and its cursor is one integer a pass; everything else is a
/// *stream*, read from the front. `Explain` says which, and why. Pass k of a dataset is its
/// iterator number k, from 0: it decides the order of reshuffled elements and nothing else.
/// Errors are thrown as `Error`, those of a map or generator at the element where they occur.
/// Source: tf.data.Dataset, whose orders, counts and errors these are.
/// Threads: a dataset may be read from several threads, an iterator by one at a time.
class Dataset {
 public:
  /// One element.
  static Dataset FromTensors(const Element& components);
  /// The slices along axis 0. InvalidArgument when the components' sizes along it differ.
  static Dataset FromTensorSlices(const Tensor& x);
  static Dataset FromTensorSlices(const Tensor& x, const Tensor& y);
  static Dataset FromTensorSlices(const std::vector<Tensor>& components);
  /// int64 scalars from `start` on, up to and without `stop`. InvalidArgument for step 0.
  static Dataset Range(int64_t stop);
  static Dataset Range(int64_t start, int64_t stop, int64_t step = 1);
  /// What `make`, called once a pass, gives: a function that returns the next element, or nothing
  /// at the end. With a `signature` each element is checked against it: InvalidArgument.
  using Generator = std::function<std::optional<Element>()>;
  static Dataset FromGenerator(std::function<Generator()> make,
                               std::vector<TensorSpec> signature = {});
  /// The endless stream of 32-bit words of a seed, as int64 scalars. Source: tf.data Random.
  static Dataset Random(std::optional<int64_t> seed = {});

  /// The slices of an IDX file's array, plain or gzip. Errors: those of the file.
  static Dataset Idx(const std::string& path);
  /// MNIST from the IDX files of a directory: images uint8 [28,28], labels int32 [].
  static Dataset Mnist(const std::string& directory, bool train = true);
  /// Handwritten-like digits that are drawn when they are read: images uint8 [28,28], labels
  /// int32 []. The test set shares no example with the training set.
  static Dataset Digits(uint64_t seed, int64_t count, bool train = true);
  /// Windows of a file's bytes: inputs int32 [tokens], and the bytes that follow each of them.
  static Dataset TextWindows(const std::string& path, int64_t tokens);

  /// `function` of each element; see MapOptions.
  Dataset Map(std::function<Element(const Element&)> function,
              const MapOptions& options = {}) const;
  /// The elements for which `predicate` holds.
  Dataset Filter(std::function<bool(const Element&)> predicate) const;
  /// Puts a component before the others: the number of the element, counted from `start`.
  Dataset Enumerate(int64_t start = 0) const;
  /// What `function` gives beside its new state, from each element and the state before it.
  using ScanFunction = std::function<std::pair<Element, Element>(const Element&, const Element&)>;
  Dataset Scan(const Element& initial_state, ScanFunction function) const;
  /// The elements of a dataset for each element: `cycle` of them are open at a time and give up to
  /// `block` elements in turn; one that has ended is replaced at its next turn.
  using Expansion = std::function<Dataset(const Element&)>;
  Dataset Interleave(Expansion function, int64_t cycle, int64_t block = 1) const;
  Dataset FlatMap(Expansion function) const { return Interleave(std::move(function), 1); }
  /// Window k: the elements k * shift + j * stride, j < size, stacked; the last ones are smaller,
  /// or left out. Source: tf.data window, whose windows are datasets, then batched.
  Dataset Window(int64_t size, int64_t shift, int64_t stride = 1,
                 bool drop_remainder = false) const;
  /// Stacks `size` elements; the last batch is smaller, or left out. InvalidArgument for size < 1,
  /// and for elements of different shapes when they are read.
  Dataset Batch(int64_t size, bool drop_remainder = false) const;
  /// The same for elements of different sizes: each is padded behind to the largest of its batch,
  /// or, where `padded_shapes` names a size, to that. `padding_values`: scalars, one for all
  /// components or one for each; zeros and empty strings otherwise. DataLoss for a larger element.
  Dataset PaddedBatch(int64_t size, const std::vector<Shape>& padded_shapes = {},
                      const std::vector<Tensor>& padding_values = {},
                      bool drop_remainder = false) const;
  /// The rows of each element.
  Dataset Unbatch() const;
  /// Cuts the rows of all elements into batches of these sizes in turn.
  Dataset Rebatch(const std::vector<int64_t>& sizes, bool drop_remainder = false) const;
  /// Draws from a buffer of `buffer` elements, with TensorFlow's algorithm. InvalidArgument for
  /// buffer < 1.
  Dataset Shuffle(int64_t buffer, const ShuffleOptions& options = {}) const;
  /// `count` passes one after another; endless for a negative count.
  Dataset Repeat(int64_t count = -1) const;
  /// Elements index, index + shards, ... InvalidArgument unless 0 <= index < shards.
  Dataset Shard(int64_t shards, int64_t index) const;
  /// Of batches of `batch` rows for all replicas: the batches of one replica each that worker
  /// `worker` reads, by TensorFlow's rules for distributed datasets. kData: every batch is cut into
  /// equal pieces, the last ones smaller or empty, and dealt to the workers; kOff: every worker
  /// cuts all rows into pieces that differ by one at most.
  enum class ShardPolicy { kOff = -1, kData = 2 };
  struct PieceOptions {
    int64_t batch = 0;  // kOff needs it
    int64_t replicas = 1;
    int64_t workers = 1;
    int64_t worker = 0;
    ShardPolicy policy = ShardPolicy::kData;
  };
  Dataset Pieces(const PieceOptions& options) const;
  /// The first `count` elements; all for a negative count.
  Dataset Take(int64_t count) const;
  /// All but the first `count` elements; none for a negative count.
  Dataset Skip(int64_t count) const;
  /// Element i holds the components of element i of each dataset; ends with the shortest.
  static Dataset Zip(const std::vector<Dataset>& datasets);
  /// The elements of `next` after these. InvalidArgument when dtypes or ranks do not fit.
  Dataset Concatenate(const Dataset& next) const;
  /// Keeps the elements of the first full pass in memory for later ones.
  Dataset Cache() const;
  /// Reads up to `elements` ahead on a thread of its own; 0: does not.
  Dataset Prefetch(int elements = kAutotune) const;

  /// The number of elements of a pass, kInfiniteCardinality or kUnknownCardinality.
  int64_t Cardinality() const;
  bool indexable() const;
  /// The components of an element, where they are known without reading one.
  std::optional<std::vector<TensorSpec>> element_spec() const;
  /// Which kind this is, which step made it so, and who reads what.
  std::string Explain() const;

  /// Element `index` of pass `epoch`. FailedPrecondition for a stream, OutOfRange outside.
  Element At(int64_t index, int64_t epoch = 0) const;
  /// A new pass, the next after those that this dataset has begun.
  DatasetIterator begin() const;
  std::default_sentinel_t end() const { return {}; }
  /// What strategies take: each source is a new pass over the elements, which are batches.
  operator BatchSourceFactory() const;
  /// From a cursor on, until the end of its pass. An indexable dataset reads nothing before it.
  DatasetIterator Resume(const DatasetCursor& cursor) const;

  explicit Dataset(std::shared_ptr<const data::DatasetNode> node);
  const std::shared_ptr<const data::DatasetNode>& node() const { return node_; }

 private:
  std::shared_ptr<const data::DatasetNode> node_;
};

/// A place in one pass over a dataset.
class DatasetIterator {
 public:
  using value_type = Element;
  using difference_type = std::ptrdiff_t;

  const Element& operator*() const;
  const Element* operator->() const { return &**this; }
  DatasetIterator& operator++();
  void operator++(int) { ++*this; }
  bool operator==(std::default_sentinel_t) const;
  /// Where this element is; `Resume` with it gives this element again.
  DatasetCursor cursor() const;

 private:
  friend class Dataset;
  struct State;
  explicit DatasetIterator(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

}  // namespace lockstep
