// Groups of elements by key, and batches of similar length.

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "data/dataset_node.h"
#include "data/rows.h"
#include "lockstep/data/transformations.h"
#include "runtime/element_draws.h"

namespace lockstep {

namespace {

using Reader = std::shared_ptr<data::ElementReader>;
using KeyFunction = std::function<int64_t(const Element&)>;
using WindowFunction = std::function<Dataset(int64_t, const Dataset&)>;
using SizeFunction = std::function<int64_t(int64_t)>;

// The groups in progress, and what one that was full became.
struct Groups {
  Groups(Reader of, const data::ElementCounter& numbers) : input(std::move(of)), places(numbers) {}

  std::optional<Element> Next() {
    while (true) {
      if (current) {
        std::optional<Element> element = current->Next();
        if (element) return element;
        current.reset();
        window.reset();
      }
      if (!ended) {
        Take();
      } else if (!groups.empty()) {
        Reduce(groups.begin());
      } else {
        return std::nullopt;
      }
    }
  }

  void Take() {
    std::optional<Element> element = input->Next();
    if (!element) {
      ended = true;
      return;
    }
    const int64_t group = KeyOf(*element);
    const auto place = groups.try_emplace(group).first;
    place->second.push_back(std::move(*element));
    const int64_t size = window_size(group);
    if (size < 1) {
      data::Refuse("group_by_window", "a window must hold at least 1 element",
                   std::to_string(size) + " for the key " + std::to_string(group),
                   "correct window_size");
    }
    if (static_cast<int64_t>(place->second.size()) >= size) Reduce(place);
  }

  int64_t KeyOf(const Element& element) {
    const runtime::ElementScope scope(places.Next());
    return key(element);
  }

  void Reduce(std::map<int64_t, std::vector<Element>>::iterator place) {
    const auto elements = std::make_shared<const std::vector<Element>>(std::move(place->second));
    const int64_t group = place->first;
    groups.erase(place);
    const Dataset all = Dataset(data::MakeIndexed(
        "window", static_cast<int64_t>(elements->size()), data::SpecsOf(elements->front()),
        [elements](int64_t index) { return (*elements)[index]; }));
    window = reduce(group, all);
    current = window->node()->Read({0, windows++}, 0);
  }

  Reader input;
  data::ElementCounter places;
  KeyFunction key;
  WindowFunction reduce;
  SizeFunction window_size;
  std::map<int64_t, std::vector<Element>> groups;
  int64_t windows = 0;
  std::optional<Dataset> window;  // which `current` uses
  std::unique_ptr<data::ElementReader> current;
  bool ended = false;
};

void CheckBuckets(const BucketOptions& options) {
  const bool ascending = std::is_sorted(options.boundaries.begin(), options.boundaries.end());
  if (!ascending || options.batch_sizes.size() != options.boundaries.size() + 1) {
    data::Refuse("bucket_by_sequence_length",
                 "there are ascending boundaries, and one batch size more",
                 std::to_string(options.boundaries.size()) + " boundaries and " +
                     std::to_string(options.batch_sizes.size()) + " sizes",
                 "the last size is that of elements beyond the last boundary");
  }
}

// Sizes that are unknown, or of no shape that is given, become that of the bucket's longest.
std::vector<Shape> BoundaryShapes(const BucketOptions& options, const Dataset& window,
                                  int64_t boundary) {
  std::vector<Shape> shapes = options.padded_shapes;
  if (shapes.empty()) {
    const Element first = *window.begin();
    for (const Tensor& component : first) {
      Shape shape = component.shape();
      for (int axis = 0; axis < shape.rank(); ++axis) shape.set_dim(axis, Shape::kUnknown);
      shapes.push_back(shape);
    }
  }
  for (Shape& shape : shapes) {
    for (int axis = 0; axis < shape.rank(); ++axis) {
      if (shape[axis] < 0) shape.set_dim(axis, boundary - 1);
    }
  }
  return shapes;
}

}  // namespace

Dataset GroupByWindow(const Dataset& dataset, KeyFunction key, WindowFunction reduce,
                      SizeFunction window_size) {
  data::StreamStep step{"group_by_window", "when a group is full is known when elements are read"};
  step.open_counted = [=](Reader reader, data::ElementCounter places) -> Dataset::Generator {
    auto groups = std::make_shared<Groups>(std::move(reader), places);
    groups->key = key;
    groups->reduce = reduce;
    groups->window_size = window_size;
    return [groups] { return groups->Next(); };
  };
  return Dataset(data::MakeStream(dataset.node(), std::move(step)));
}

Dataset BucketBySequenceLength(const Dataset& dataset,
                               std::function<int64_t(const Element&)> element_length,
                               const BucketOptions& options) {
  CheckBuckets(options);
  const auto bucket = [options, length = std::move(element_length)](const Element& element) {
    const auto above =
        std::upper_bound(options.boundaries.begin(), options.boundaries.end(), length(element));
    return static_cast<int64_t>(above - options.boundaries.begin());
  };
  const auto size = [options](int64_t key) { return options.batch_sizes[key]; };
  const auto batch = [options](int64_t key, const Dataset& window) {
    const int64_t rows = options.batch_sizes[key];
    if (options.no_padding) return window.Batch(rows, options.drop_remainder);
    if (!options.pad_to_bucket_boundary)
      return window.PaddedBatch(rows, options.padded_shapes, options.padding_values,
                                options.drop_remainder);
    if (key == static_cast<int64_t>(options.boundaries.size())) {
      data::Refuse("bucket_by_sequence_length",
                   "elements must be shorter than the last boundary to be padded to it",
                   "one that is not", "add a boundary, or leave pad_to_bucket_boundary out");
    }
    return window.PaddedBatch(rows, BoundaryShapes(options, window, options.boundaries[key]),
                              options.padding_values, options.drop_remainder);
  };
  return GroupByWindow(dataset, bucket, batch, size);
}

}  // namespace lockstep
