#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "data/dataset_node.h"
#include "lockstep/data/dataset.h"
#include "lockstep/data/transformations.h"
#include "lockstep/ops/math.h"
#include "lockstep/runtime/function.h"
#include "python/bind.h"
#include "python/callback.h"
#include "runtime/element_draws.h"

namespace lockstep::python {

namespace {

using Specs = std::vector<std::pair<int, Shape>>;

std::vector<TensorSpec> SpecsOf(const Specs& pairs) {
  std::vector<TensorSpec> specs;
  for (const auto& [dtype, shape] : pairs) specs.push_back({static_cast<DType>(dtype), shape});
  return specs;
}

nb::list ListOf(const std::vector<Tensor>& tensors) {
  nb::list list;
  for (const Tensor& tensor : tensors) list.append(nb::cast(tensor));
  return list;
}

// A traced function runs without the interpreter once it is traced. It takes the element's place,
// too.
std::function<Element(const Element&)> ElementFunction(nb::object function) {
  if (!nb::isinstance<Function>(function)) return TensorFunction(std::move(function));
  return [own = nb::cast<Function>(function)](const Element& element) {
    Element given = element;
    given.push_back(runtime::ElementScope::CurrentPlace());
    return own.Call(given);
  };
}

// `make()` gives a Python iterator of lists of tensors.
Dataset GeneratorOf(nb::object make, const Specs& signature) {
  const Held held(std::move(make));
  return Dataset::FromGenerator(
      [held]() -> Dataset::Generator {
        const nb::gil_scoped_acquire lock;
        const Held iterator(held.get()());
        return [iterator]() -> std::optional<Element> {
          const nb::gil_scoped_acquire inner;
          PyObject* next = PyIter_Next(iterator.get().ptr());
          if (next == nullptr) {
            if (PyErr_Occurred()) nb::raise_python_error();
            return std::nullopt;
          }
          return TensorsOf(nb::steal(next));
        };
      },
      SpecsOf(signature));
}

// A traced function of an element that gives an integer.
std::function<int64_t(const Element&)> NumberFunction(nb::object function) {
  const auto call = ElementFunction(std::move(function));
  return [call](const Element& element) {
    return Cast(call(element).at(0), DType::kInt64).scalar<int64_t>();
  };
}

std::function<Dataset(int64_t, const Dataset&)> Windows(nb::object reduce) {
  return [held = Held(std::move(reduce))](int64_t key, const Dataset& window) {
    const nb::gil_scoped_acquire lock;
    return nb::cast<Dataset>(held.get()(key, window));
  };
}

std::function<int64_t(int64_t)> Sizes(nb::object size) {
  return [held = Held(std::move(size))](int64_t key) {
    const nb::gil_scoped_acquire lock;
    return nb::cast<int64_t>(held.get()(key));
  };
}

std::function<Dataset(const Element&)> Expansion(nb::object function) {
  return [held = Held(std::move(function))](const Element& element) {
    const nb::gil_scoped_acquire lock;
    return nb::cast<Dataset>(held.get()(ListOf(element)));
  };
}

// Threads may share it: each element goes to one of them.
class Iterator {
 public:
  explicit Iterator(const Dataset& dataset) : dataset_(dataset) {}
  // Who reads ahead may be about to call Python, and is waited for.
  ~Iterator() {
    const nb::gil_scoped_release release;
    place_.reset();
  }
  /// The next element; nullopt at the end. The pass begins with the first call.
  std::optional<Element> Next() {
    const std::lock_guard lock(mutex_);
    if (!place_) {
      tried_ = true;
      place_.emplace(dataset_.begin());
    } else if (!ahead_ && !ended_) {
      ++*place_;
    }
    ahead_ = false;
    ended_ = ended_ || *place_ == std::default_sentinel;
    if (ended_) return std::nullopt;
    read_ = place_->cursor();
    ++read_.elements;
    return **place_;
  }
  /// (pass, elements of it that were read).
  std::pair<int64_t, int64_t> Cursor() {
    const std::lock_guard lock(mutex_);
    if (!place_ && !tried_) {
      place_.emplace(dataset_.begin());
      ahead_ = true;
      if (*place_ != std::default_sentinel) read_ = place_->cursor();
    }
    return {read_.epoch, read_.elements};
  }
  void Resume(int64_t epoch, int64_t elements) {
    const std::lock_guard lock(mutex_);
    read_ = {epoch, elements};
    place_.emplace(dataset_.Resume(read_));
    ahead_ = true;
    ended_ = false;
  }

 private:
  // Taken without Python's lock, which who holds it may need for functions and generators.
  std::mutex mutex_;
  Dataset dataset_;
  std::optional<DatasetIterator> place_;
  DatasetCursor read_;
  bool ahead_ = false;  // the place is at an element that was not read yet
  bool ended_ = false;
  bool tried_ = false;  // without a place then, it is that of the first element, which fails
};

// What `function` gives for tensors the last of which is the place of an element.
std::vector<Tensor> CallWithPlace(nb::object function, std::vector<Tensor> tensors) {
  const runtime::ElementTraceScope scope(tensors.back());
  tensors.pop_back();
  return TensorFunction(std::move(function))(tensors);
}

void BindSources(nb::class_<Dataset>& c) {
  c.def_static("from_tensors", [](const Element& e) { return Dataset::FromTensors(e); })
      .def_static("from_tensor_slices",
                  [](const Element& e) { return Dataset::FromTensorSlices(e); })
      .def_static("range", [](int64_t start, int64_t stop,
                              int64_t step) { return Dataset::Range(start, stop, step); })
      .def_static("from_generator", &GeneratorOf)
      .def_static("random", &Dataset::Random, nb::arg().none())
      .def_static("zip", &Dataset::Zip)
      .def_static("mnist", &Dataset::Mnist)
      .def_static("idx", &Dataset::Idx);
}

void BindSteps(nb::class_<Dataset>& c) {
  c.def("map",
        [](const Dataset& d, nb::object function, int parallel, bool stateful) {
          return d.Map(ElementFunction(std::move(function)), {parallel, stateful});
        })
      .def("filter",
           [](const Dataset& d, nb::object predicate) {
             const auto call = ElementFunction(std::move(predicate));
             return d.Filter([call](const Element& e) { return call(e).at(0).scalar<bool>(); });
           })
      .def("scan",
           [](const Dataset& d, const Element& state, nb::object function) {
             const auto call = ElementFunction(std::move(function));
             return d.Scan(state, [call, size = state.size()](Element now, const Element& element) {
               now.insert(now.end(), element.begin(), element.end());
               const Element made = call(now);
               return std::pair(Element(made.begin(), made.begin() + size),
                                Element(made.begin() + size, made.end()));
             });
           })
      .def("group_by_window",
           [](const Dataset& d, nb::object key, nb::object reduce, nb::object size) {
             return GroupByWindow(d, NumberFunction(std::move(key)), Windows(std::move(reduce)),
                                  Sizes(std::move(size)));
           })
      .def("bucket_by_sequence_length",
           [](const Dataset& d, nb::object length, const std::vector<int64_t>& boundaries,
              const std::vector<int64_t>& sizes, const std::vector<Shape>& shapes,
              const std::vector<Tensor>& values, bool to_boundary, bool none, bool drop) {
             return BucketBySequenceLength(
                 d, NumberFunction(std::move(length)),
                 {boundaries, sizes, shapes, values, to_boundary, none, drop});
           })
      .def("enumerate", &Dataset::Enumerate)
      .def("interleave",
           [](const Dataset& d, nb::object function, int64_t cycle, int64_t block) {
             return d.Interleave(Expansion(std::move(function)), cycle, block);
           })
      .def("window", &Dataset::Window)
      .def("batch", &Dataset::Batch)
      .def("padded_batch", &Dataset::PaddedBatch)
      .def("unbatch", &Dataset::Unbatch)
      .def("rebatch", &Dataset::Rebatch)
      .def("distributed_pieces",
           [](const Dataset& d, int64_t batch, int64_t replicas, int64_t pipelines,
              int64_t pipeline, int policy) {
             return DistributedPieces(d, {batch, replicas, pipelines, pipeline},
                                      AutoShardPolicy(policy));
           })
      .def(
          "shuffle",
          [](const Dataset& d, int64_t buffer, std::optional<int64_t> seed, bool reshuffle) {
            return d.Shuffle(buffer, {seed, reshuffle});
          },
          nb::arg(), nb::arg().none(), nb::arg())
      .def("repeat", &Dataset::Repeat)
      .def("shard", &Dataset::Shard)
      .def("take", &Dataset::Take)
      .def("skip", &Dataset::Skip)
      .def("concatenate", &Dataset::Concatenate)
      .def("cache", &Dataset::Cache)
      .def("prefetch", &Dataset::Prefetch);
}

}  // namespace

void BindData(nb::module_& m) {
  m.def("call_with_place", &CallWithPlace);
  m.def("element_place", &runtime::ElementScope::CurrentPlace);
  // Calls `function` as a dataset does for an element: its random steps take no seed of the program
  // around it.
  m.def("call_in_element", [](const nb::callable& function) {
    const runtime::ElementScope scope(runtime::ElementPlace{});
    return nb::object(function());
  });
  nb::class_<Dataset> dataset(m, "Dataset");
  BindSources(dataset);
  BindSteps(dataset);
  dataset.def("cardinality", &Dataset::Cardinality)
      .def("explain", &Dataset::Explain)
      .def("count_passes",  // as begun; the number of the next pass before them
           [](const Dataset& d, int64_t count) { return d.node()->CountPasses(count); })
      .def("indexable", &Dataset::indexable)
      .def("specs", [](const Dataset& d) -> nb::object {
        const auto specs = d.element_spec();
        if (!specs) return nb::none();
        nb::list list;
        for (const TensorSpec& spec : *specs)
          list.append(nb::make_tuple(static_cast<int>(spec.dtype), spec.shape));
        return list;
      });
  nb::class_<Iterator>(m, "DatasetIterator")
      .def(nb::init<const Dataset&>())
      .def("cursor", &Iterator::Cursor, nb::call_guard<nb::gil_scoped_release>())
      .def("resume", &Iterator::Resume, nb::call_guard<nb::gil_scoped_release>())
      .def("next", [](Iterator& iterator) -> nb::object {
        const std::optional<Element> element = Unlocked([&] { return iterator.Next(); });
        return element ? nb::object(ListOf(*element)) : nb::object(nb::none());
      });
}

}  // namespace lockstep::python
