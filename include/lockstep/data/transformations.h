#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/data/dataset.h"

/// Further steps of pipelines. Source: tf.data.Dataset's methods of the same names.

namespace lockstep {

struct InterleaveOptions {
  /// How many datasets are open at a time (kAutotune: as many as cores), and how many elements each
  /// gives in turn.
  int64_t cycle_length = kAutotune;
  int64_t block_length = 1;
  /// How many threads read the open ones ahead (kAutotune: the cores; 0: none). The order does not
  /// depend on it.
  int num_parallel_calls = 0;
};
Dataset Interleave(const Dataset& dataset, Dataset::Expansion function,
                   const InterleaveOptions& options = {});

/// The result of `function` over the state and each element of a pass.
Element Reduce(
    const Dataset& dataset, Element initial_state,
    const std::function<Element(const Element& state, const Element& element)>& function);

/// Elements up to the first for which `predicate` does not hold.
Dataset TakeWhile(const Dataset& dataset, std::function<bool(const Element&)> predicate);
/// Each scalar once, where it comes first. InvalidArgument for elements that are no scalar of an
/// integer or string.
Dataset Unique(const Dataset& dataset);
/// Leaves out elements that raise an error. With `log_warning` each is said.
Dataset IgnoreErrors(const Dataset& dataset, bool log_warning = false);

/// Elements of `datasets`, the dataset of each being the scalar int64 of `choices`. An empty one is
/// passed over, or ends all. InvalidArgument for a choice that does not exist.
Dataset ChooseFromDatasets(const std::vector<Dataset>& datasets, const Dataset& choices,
                           bool stop_on_empty_dataset = true);
struct SampleOptions {
  /// What each dataset's chance is in proportion to; empty: equal chances.
  std::vector<double> weights = {};
  std::optional<int64_t> seed = {};
  bool stop_on_empty_dataset = false;
};
/// The same with random choices, TensorFlow's for the same seed.
Dataset SampleFromDatasets(const std::vector<Dataset>& datasets, const SampleOptions& options = {});

/// Passes elements to groups by `key`, and a group, when it has `window_size(key)` elements, to
/// `reduce`, whose elements come next. What is left at the end comes in the order of keys.
Dataset GroupByWindow(const Dataset& dataset, std::function<int64_t(const Element&)> key,
                      std::function<Dataset(int64_t key, const Dataset& window)> reduce,
                      std::function<int64_t(int64_t key)> window_size);

struct BucketOptions {
  /// Elements shorter than boundary i, and not than the one before, are in bucket i.
  std::vector<int64_t> boundaries = {};
  /// One more than boundaries.
  std::vector<int64_t> batch_sizes = {};
  std::vector<Shape> padded_shapes = {};
  std::vector<Tensor> padding_values = {};
  /// Pads to the bucket's boundary less one instead of the longest of the batch; an element of the
  /// last bucket is InvalidArgument then.
  bool pad_to_bucket_boundary = false;
  bool no_padding = false;
  bool drop_remainder = false;
};
/// Batches of elements of similar length.
Dataset BucketBySequenceLength(const Dataset& dataset,
                               std::function<int64_t(const Element&)> element_length,
                               const BucketOptions& options);

struct ResampleOptions {
  /// The chance of each class in the result.
  std::vector<double> target = {};
  /// That in the dataset; without it, it is estimated as elements are read.
  std::vector<double> initial = {};
  std::optional<int64_t> seed = {};
};
/// Leaves out elements so that classes come with the chances that `target` names. The elements are
/// those of the dataset, with the class before them. The random numbers are of Lockstep's own.
Dataset RejectionResample(const Dataset& dataset, std::function<int64_t(const Element&)> class_of,
                          const ResampleOptions& options);

/// Keeps the elements of the first full pass in a file, from which later passes and later programs
/// read them; until it is whole it is called PATH.unfinished. DataLoss when it is damaged.
/// Source: tf.data.Dataset.cache(filename).
Dataset CacheOnDisk(const Dataset& dataset, const std::string& path);

/// How a dataset is divided among input pipelines. Source: tf.data AutoShardPolicy.
enum class AutoShardPolicy { kOff = -1, kAuto = 0, kFile = 1, kData = 2 };
struct AutoShardOptions {
  int64_t workers = 1;
  int64_t worker = 0;
  AutoShardPolicy policy = AutoShardPolicy::kAuto;
};
/// What worker `worker` reads. kFile: files j with j % workers == worker of the source, a shuffle
/// before the division comes behind it; InvalidArgument for fewer files than workers, NotFound
/// without a source of files. kData: every workers-th element. kAuto: kFile where there are files,
/// else kData, after a warning. kOff: all.
Dataset AutoShard(const Dataset& dataset, const AutoShardOptions& options);
/// The same for batches of `batch` rows of all replicas, as TensorFlow distributes them: each
/// worker gets the batches of its replicas. Where files are divided each worker cuts its own
/// batches, else as Dataset::Pieces.
Dataset DistributedPieces(const Dataset& dataset, const Dataset::PieceOptions& pieces,
                          AutoShardPolicy policy);

}  // namespace lockstep
