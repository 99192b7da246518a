#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <filesystem>
#include <optional>

#include "lockstep/checkpoint/checkpoint.h"
#include "lockstep/checkpoint/tensor_bundle.h"
#include "lockstep/data/example.h"
#include "lockstep/data/files.h"
#include "lockstep/data/record.h"
#include "lockstep/data/transformations.h"
#include "lockstep/distribute/strategy.h"
#include "lockstep/monitor/summary.h"
#include "monitor/png.h"
#include "python/bind.h"
#include "python/convert.h"
#include "runtime/variable_state.h"

// Checkpoints, records, examples and event files.

namespace lockstep::python {

namespace {

std::vector<TrackedPart> PartsOf(const std::vector<std::pair<std::string, Trackable>>& pairs) {
  std::vector<TrackedPart> parts;
  for (const auto& [name, object] : pairs) parts.push_back({name, object});
  return parts;
}

// Of a save by one of the workers that `strategy` has, which come with one path; null: by itself.
CheckpointOptions SaveOptions(bool enable_async, Strategy* strategy) {
  CheckpointOptions options{.enable_async = enable_async};
  if (strategy != nullptr) {
    options.on_one = [strategy](const std::string& path, const std::function<Status()>& write) {
      strategy->OnOne(std::filesystem::absolute(path), write);
    };
  }
  return options;
}

// A checkpoint and, where there is one, what manages its directory.
class Managed {
 public:
  Managed(Checkpoint& checkpoint, const std::string& directory, std::optional<int> most,
          std::optional<double> hours, const std::string& name)
      : manager_(CheckpointManager::Open(checkpoint, directory,
                                         {.max_to_keep = most,
                                          .keep_checkpoint_every_n_hours = hours,
                                          .checkpoint_name = name})
                     .value()) {}
  std::string Save(std::optional<int64_t> number, bool enable_async, Strategy* strategy) {
    return manager_.Save(number, SaveOptions(enable_async, strategy)).value();
  }
  std::optional<std::string> latest() const { return manager_.latest_checkpoint(); }
  std::vector<std::string> all() const { return manager_.checkpoints(); }

 private:
  CheckpointManager manager_;
};

void BindCheckpoints(nb::module_& m) {
  const auto unlocked = nb::call_guard<nb::gil_scoped_release>();
  nb::class_<Trackable>(m, "Trackable")
      .def(nb::init<>())
      .def_static("of", [](const Variable& variable) { return Trackable(variable); })
      .def("add",
           [](Trackable& t, const std::string& name, const Trackable& part) { t.Add(name, part); });
  nb::class_<RestoreStatus>(m, "RestoreStatus")
      .def("assert_consumed", [](const RestoreStatus& s) { s.AssertConsumed(); })
      .def("assert_existing", [](const RestoreStatus& s) { s.AssertExistingObjectsMatched(); })
      .def("assert_nontrivial", [](const RestoreStatus& s) { s.AssertNontrivialMatch(); })
      .def_ro("unused", &RestoreStatus::unused)
      .def_ro("missing", &RestoreStatus::missing);
  nb::class_<Checkpoint>(m, "Checkpoint")
      .def(
          "__init__",
          // `apart`: the save counter is of this process alone, whatever graph is being built
          [](Checkpoint* self, const std::vector<std::pair<std::string, Trackable>>& parts,
             bool apart) {
            std::optional<runtime::VariableCreatorScope> plain;
            if (apart) plain.emplace(nullptr);
            new (self) Checkpoint(PartsOf(parts));
          },
          nb::arg(), nb::arg() = false)
      .def(
          "write",
          [](Checkpoint& c, const std::string& prefix, bool enable_async, Strategy* strategy) {
            c.Write(prefix, SaveOptions(enable_async, strategy)).OrThrow();
          },
          nb::arg(), nb::arg(), nb::arg().none(), unlocked)
      .def(
          "save",
          [](Checkpoint& c, const std::string& prefix, bool enable_async, Strategy* strategy) {
            return c.Save(prefix, SaveOptions(enable_async, strategy)).value();
          },
          nb::arg(), nb::arg(), nb::arg().none(), unlocked)
      .def(
          "sync", [](Checkpoint& c) { c.Sync().OrThrow(); }, unlocked)
      .def(
          "restore", [](Checkpoint& c, const std::string& path) { return c.Restore(path).value(); },
          unlocked)
      .def(
          "read", [](Checkpoint& c, const std::string& path) { return c.Read(path).value(); },
          unlocked)
      .def("save_counter", &Checkpoint::save_counter);
  nb::class_<Managed>(m, "CheckpointManager")
      .def(nb::init<Checkpoint&, const std::string&, std::optional<int>, std::optional<double>,
                    const std::string&>(),
           nb::keep_alive<1, 2>(), nb::arg(), nb::arg(), nb::arg().none(), nb::arg().none(),
           nb::arg())
      .def("save", &Managed::Save, nb::arg().none(), nb::arg(), nb::arg().none(), unlocked)
      .def("latest", &Managed::latest)
      .def("all", &Managed::all);
  m.def("latest_checkpoint", &LatestCheckpoint);
  nb::class_<TensorBundle>(m, "TensorBundle")
      .def_static("open",
                  [](const std::string& prefix) {
                    return std::make_unique<TensorBundle>(TensorBundle::Open(prefix).value());
                  })
      .def("entries",
           [](const TensorBundle& bundle) {  // (name, TensorFlow's number of the dtype, shape)
             nb::list made;
             for (const TensorBundle::Entry& entry : bundle.entries()) {
               made.append(nb::make_tuple(entry.name, entry.dtype_number, entry.shape));
             }
             return made;
           })
      .def(
          "read",
          [](const TensorBundle& bundle, const std::string& name) {
            return bundle.Read(name).value();
          },
          unlocked);
  m.def(
      "write_tensor_bundle",
      [](const std::string& prefix, const std::vector<std::pair<std::string, Tensor>>& tensors) {
        std::vector<BundleTensor> made;
        for (const auto& [name, value] : tensors) made.push_back({name, value, ""});
        WriteTensorBundle(prefix, made).OrThrow();
      },
      unlocked);
}

Compression CompressionOf(const std::string& name) {
  if (name == "GZIP") return Compression::kGzip;
  return name == "ZLIB" ? Compression::kZlib : Compression::kNone;
}

nb::list BytesOf(const Element& element) {
  nb::list list;
  for (const Tensor& tensor : element) list.append(nb::cast(tensor));
  return list;
}

using Spec = std::tuple<std::string, int, Shape, bool, nb::object>;

std::vector<FeatureSpec> SpecsOf(nb::handle list) {
  std::vector<FeatureSpec> specs;
  for (nb::handle one : list) {
    specs.push_back({.name = nb::cast<std::string>(one[0]),
                     .dtype = static_cast<DType>(nb::cast<int>(one[1])),
                     .shape = nb::cast<Shape>(one[2]),
                     .kind = static_cast<FeatureSpec::Kind>(nb::cast<int>(one[3])),
                     .default_value = Arg{nb::object(one[4])}.Optional()});
  }
  return specs;
}

// {name: ("bytes" | "float" | "int64", values)}
nb::bytes Serialize(nb::dict features) {
  Features made;
  for (auto [name, value] : features) {
    const auto kind = nb::cast<std::string>(value[0]);
    Feature feature;
    if (kind == "bytes") {
      std::vector<std::string> list;
      for (nb::handle one : nb::object(value[1])) {
        const auto bytes = nb::cast<nb::bytes>(one);
        list.emplace_back(bytes.c_str(), bytes.size());
      }
      feature = std::move(list);
    } else if (kind == "float") {
      feature = nb::cast<std::vector<float>>(value[1]);
    } else {
      feature = nb::cast<std::vector<int64_t>>(value[1]);
    }
    made[nb::cast<std::string>(name)] = std::move(feature);
  }
  const std::string bytes = SerializeExample(made);
  return nb::bytes(bytes.data(), bytes.size());
}

// None, or ("bytes" | "float" | "int64", values).
nb::object ValuesOfFeature(const Feature& feature) {
  if (const auto* strings = std::get_if<std::vector<std::string>>(&feature)) {
    nb::list list;
    for (const std::string& one : *strings) list.append(nb::bytes(one.data(), one.size()));
    return nb::make_tuple("bytes", list);
  }
  if (const auto* floats = std::get_if<std::vector<float>>(&feature))
    return nb::make_tuple("float", *floats);
  if (const auto* whole = std::get_if<std::vector<int64_t>>(&feature))
    return nb::make_tuple("int64", *whole);
  return nb::none();
}

nb::dict ByName(const Features& features) {
  nb::dict made;
  for (const auto& [name, feature] : features)
    made[nb::str(name.c_str())] = ValuesOfFeature(feature);
  return made;
}

nb::dict Deserialize(nb::bytes serialized) {
  return ByName(
      DeserializeExample(std::string_view(serialized.c_str(), serialized.size())).value());
}

// The context, and the lists of features by name.
nb::tuple DeserializeSequence(nb::bytes serialized) {
  const SequenceExample example =
      DeserializeSequenceExample(std::string_view(serialized.c_str(), serialized.size())).value();
  nb::dict lists;
  for (const auto& [name, features] : example.feature_lists) {
    nb::list list;
    for (const Feature& feature : features) list.append(ValuesOfFeature(feature));
    lists[nb::str(name.c_str())] = list;
  }
  return nb::make_tuple(ByName(example.context), lists);
}

void BindRecords(nb::module_& m) {
  nb::class_<TFRecordWriter>(m, "TFRecordWriter")
      .def_static("open",
                  [](const std::string& path, const std::string& compression) {
                    return TFRecordWriter::Open(path, CompressionOf(compression)).value();
                  })
      .def("write",
           [](TFRecordWriter& w, nb::bytes record) {
             w.Write(std::string_view(record.c_str(), record.size())).OrThrow();
           })
      .def("flush", [](TFRecordWriter& w) { w.Flush().OrThrow(); })
      .def("close", [](TFRecordWriter& w) { w.Close().OrThrow(); });
  m.def("record_dataset",
        [](const std::vector<std::string>& files, const std::string& compression) {
          return TFRecordDataset(files, {.compression = CompressionOf(compression)});
        });
  m.def("line_dataset", [](const std::vector<std::string>& files, const std::string& compression) {
    return TextLineDataset(files, CompressionOf(compression));
  });
  m.def(
      "sample_from_datasets",
      [](const std::vector<Dataset>& datasets, std::vector<double> weights,
         std::optional<int64_t> seed, bool stop) {
        return SampleFromDatasets(datasets, {std::move(weights), seed, stop});
      },
      nb::arg(), nb::arg(), nb::arg().none(), nb::arg());
  m.def("serialize_example", &Serialize);
  m.def("deserialize_example", &Deserialize);
  m.def("deserialize_sequence_example", &DeserializeSequence);
  m.def("parse_example", [](const Tensor& serialized, nb::object specs) {
    const auto wanted = SpecsOf(specs);
    return BytesOf(Unlocked([&] { return ParseExample(serialized, wanted); }));
  });
  m.def("feature_list_steps", [](const Tensor& serialized, const std::string& name, bool required) {
    return BytesOf(Unlocked([&] { return FeatureListSteps(serialized, name, required); }));
  });
}

void BindSummaries(nb::module_& m) {
  using summary::FileWriter;
  nb::class_<FileWriter>(m, "FileWriter")
      .def("__init__",
           [](FileWriter* self, const std::string& folder, int queue, double seconds,
              const std::string& suffix) {
             new (self) FileWriter(
                 folder, {.max_queue = queue, .flush_seconds = seconds, .filename_suffix = suffix});
           })
      .def("scalar", &FileWriter::Scalar)
      .def("histogram",
           [](FileWriter& w, const std::string& tag, const Tensor& values, int64_t step,
              int buckets) { w.Write(summary::Histogram(tag, values, buckets), step); })
      .def("image", [](FileWriter& w, const std::string& tag, const Tensor& images, int64_t step,
                       int most) { w.Write(summary::Image(tag, images, most), step); })
      .def("text", &FileWriter::Text)
      .def("summary",
           [](FileWriter& w, const nb::bytes& summary, int64_t step) {
             w.Write({summary.c_str(), summary.size()}, step);
           })
      .def("graph",
           [](FileWriter& w, const nb::bytes& graph_def, int64_t step) {
             w.Graph({graph_def.c_str(), graph_def.size()}, step);
           })
      .def("flush", &FileWriter::Flush)
      .def("close", &FileWriter::Close);
  m.def("summary_histogram", [](const std::string& tag, const Tensor& values, int buckets) {
    const std::string summary = summary::Histogram(tag, values, buckets);
    return nb::bytes(summary.data(), summary.size());
  });
  m.def("summary_image", [](const std::string& tag, const Tensor& images, int most) {
    const std::string summary = summary::Image(tag, images, most);
    return nb::bytes(summary.data(), summary.size());
  });
  m.def("summary_text", [](const std::string& tag, const Tensor& text) {
    const std::string summary = summary::Text(tag, text);
    return nb::bytes(summary.data(), summary.size());
  });
  m.def("encode_png", [](const nb::bytes& pixels, uint32_t height, uint32_t width, int channels) {
    const std::string png = monitor::EncodePng(
        {reinterpret_cast<const uint8_t*>(pixels.c_str()), pixels.size()}, height, width, channels);
    return nb::bytes(png.data(), png.size());
  });
}

}  // namespace

void BindFiles(nb::module_& m) {
  BindCheckpoints(m);
  BindRecords(m);
  BindSummaries(m);
}

}  // namespace lockstep::python
