// Files and messages of TensorFlow's, TensorBoard's, NumPy's and safetensors', byte by byte.

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "case.h"
#include "lockstep/checkpoint/checkpoint.h"
#include "lockstep/checkpoint/npy.h"
#include "lockstep/checkpoint/safetensors.h"
#include "lockstep/checkpoint/tensor_bundle.h"
#include "lockstep/data/example.h"
#include "lockstep/data/record.h"
#include "lockstep/monitor/summary.h"

namespace golden {
namespace {

using lockstep::Tensor;

std::string Hex(const std::string& bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  for (const unsigned char byte : bytes) {
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex;
}

std::string Unhex(const std::string& hex) {
  if (hex.size() % 2 != 0) throw std::runtime_error("hexadecimal digits come in pairs; got " + hex);
  std::string bytes;
  for (size_t i = 0; i < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return bytes;
}

// A folder that goes with the case.
class Folder {
 public:
  Folder()
      : path_(std::filesystem::temp_directory_path() / ("golden_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string Path(const std::string& name) const { return (path_ / name).string(); }
  std::string HexOf(const std::string& name) const {
    std::ifstream file(path_ / name, std::ios::binary);
    if (!file) throw std::runtime_error("no file " + name + " was written");
    return Hex({std::istreambuf_iterator<char>(file), {}});
  }

 private:
  std::filesystem::path path_;
};

void Checksums(const Case& golden, Produced& produced) {
  for (const auto& [key, expected] : golden.outputs().items()) {
    const std::string bytes = key == "empty" ? "" : Unhex(key);
    produced[key] = Json::array({lockstep::Crc32c(bytes), lockstep::MaskedCrc32c(bytes)}).dump();
  }
}

void RecordFile(const Case& golden, Produced& produced) {
  const Folder folder;
  auto writer = lockstep::TFRecordWriter::Open(folder.Path("records"));
  writer.status().OrThrow();
  for (const auto& record : golden.Get<std::vector<std::string>>("records_hex"))
    writer->Write(Unhex(record)).OrThrow();
  writer->Close().OrThrow();
  produced["bytes_hex"] = folder.HexOf("records");
}

template <typename T>
void NumbersExample(const Case& golden, Produced& produced) {
  lockstep::Features features;
  for (const auto& [name, values] : golden.Value("feature").items())
    features[name] = values.template get<std::vector<T>>();
  produced["bytes_hex"] = Hex(lockstep::SerializeExample(features));
}

void BytesExample(const Case& golden, Produced& produced) {
  lockstep::Features features;
  for (const auto& [name, values] : golden.Value("feature_hex").items()) {
    std::vector<std::string> strings;
    for (const auto& value : values) strings.push_back(Unhex(value.get<std::string>()));
    features[name] = strings;
  }
  produced["bytes_hex"] = Hex(lockstep::SerializeExample(features));
}

Tensor Strings(const std::vector<std::string>& values) {
  return Tensor::FromStrings(values, lockstep::Shape{static_cast<int64_t>(values.size())});
}

void BundleBytes(const std::vector<lockstep::BundleTensor>& tensors, Produced& produced) {
  const Folder folder;
  lockstep::WriteTensorBundle(folder.Path("b"), tensors).OrThrow();
  produced["index_hex"] = folder.HexOf("b.index");
  produced["data_hex"] = folder.HexOf("b.data-00000-of-00001");
}

// The inputs, then the parameters that are lists of strings.
void Bundle(const Case& golden, Produced& produced) {
  std::vector<lockstep::BundleTensor> tensors;
  for (const auto& [name, value] : golden.inputs().items())
    tensors.push_back({name, golden.Input(name), ""});
  for (const auto& [name, value] : golden.AllParams().items()) {
    if (!value.is_array()) continue;
    golden.Knows(name);
    tensors.push_back({name, Strings(value.get<std::vector<std::string>>()), ""});
  }
  BundleBytes(tensors, produced);
}

// The inputs are the parts of one tensor.
void PartitionedBundle(const Case& golden, Produced& produced) {
  const auto slices = golden.Get<std::vector<std::string>>("shape_and_slices");
  const auto name = golden.Param<std::string>("name", "v");
  std::vector<lockstep::BundleTensor> tensors;
  for (const auto& [input, value] : golden.inputs().items())
    tensors.push_back({name, golden.Input(input), slices.at(tensors.size())});
  BundleBytes(tensors, produced);
}

// A checkpoint of a model and a step. The model's variables are the inputs "model/NAME" in their
// order and then "s", three strings.
void ObjectGraph(const Case& golden, Produced& produced) {
  lockstep::Trackable model;
  for (const auto& [path, value] : golden.inputs().items())
    model.Add(path.substr(path.find('/') + 1), lockstep::Variable(golden.Input(path)));
  const std::vector<std::string> words{"ab", "", "cde"};
  model.Add("s", lockstep::Variable(Strings(golden.Param("s", words))));
  const lockstep::Variable step(lockstep::Scalar(golden.Get<int64_t>("step")));
  lockstep::Checkpoint checkpoint({{"model", model}, {"step", step}});
  const Folder folder;
  checkpoint.Write(folder.Path("c")).OrThrow();
  produced["index_hex"] = folder.HexOf("c.index");
  produced["data_hex"] = folder.HexOf("c.data-00000-of-00001");
  const auto bundle = lockstep::TensorBundle::Open(folder.Path("c"));
  bundle.status().OrThrow();
  Json keys = Json::array();
  for (const auto& entry : bundle->entries()) keys.push_back(entry.name);
  produced["keys"] = keys.dump();
}

// "scalar loss, histogram h (4 buckets), text t": what is shown, in this order.
void Summaries(const Case& golden, Produced& produced) {
  const auto content = golden.Get<std::string>("content");
  const Json& values = golden.Value("values");
  Json summaries = Json::array();
  for (size_t begin = 0; begin < content.size();) {
    const size_t end = std::min(content.find(", ", begin), content.size());
    const std::string item = content.substr(begin, end - begin);
    begin = end + 2;
    const size_t space = item.find(' ');
    const std::string kind = item.substr(0, space), rest = item.substr(space + 1);
    const std::string tag = rest.substr(0, rest.find(' '));
    if (kind == "scalar") {
      const Tensor value = lockstep::Scalar(values.at(tag).get<float>());
      summaries.push_back(Hex(lockstep::summary::Scalar(tag, value)));
    } else if (kind == "histogram") {
      const size_t bracket = rest.find('(');
      const int buckets = bracket == std::string::npos ? 30 : std::stoi(rest.substr(bracket + 1));
      const Tensor data = lockstep::Constant<float>(values.at(tag).get<std::vector<float>>());
      summaries.push_back(Hex(lockstep::summary::Histogram(tag, data, buckets)));
    } else if (kind == "text") {
      const std::string text = values.value(tag, "hello");
      summaries.push_back(Hex(lockstep::summary::Text(tag, Tensor::FromStrings({text}, {}))));
    } else {
      throw Skip{"nothing here makes a summary of kind " + kind};
    }
  }
  produced["summary_proto_hex"] = summaries.dump();
}

void Npy(const Case& golden, Produced& produced) {
  const Folder folder;
  const std::string name = golden.inputs().begin().key();
  lockstep::WriteNpy(folder.Path("a.npy"), golden.Input(name)).OrThrow();
  produced["bytes_hex"] = folder.HexOf("a.npy");
}

void SafetensorsFile(const Case& golden, Produced& produced) {
  const Folder folder;
  lockstep::Safetensors content;
  for (const auto& [name, value] : golden.inputs().items())
    content.tensors.push_back({name, golden.Input(name)});
  if (golden.HasParam("metadata")) {
    for (const auto& [name, value] : golden.Value("metadata").items())
      content.metadata[name] = value.get<std::string>();
  }
  lockstep::WriteSafetensors(folder.Path("s"), content).OrThrow();
  produced["bytes_hex"] = folder.HexOf("s");
}

const RegisterGroup kFormats("formats", {{"crc32c_and_masked", Checksums},
                                         {"tfrecord_file", RecordFile},
                                         {"example_int64", NumbersExample<int64_t>},
                                         {"example_float", NumbersExample<float>},
                                         {"example_bytes", BytesExample},
                                         {"tensor_bundle_SaveV2", Bundle},
                                         {"tensor_bundle_partitioned", PartitionedBundle},
                                         {"checkpoint_object_graph", ObjectGraph},
                                         {"event_summaries", Summaries},
                                         {"npy", Npy},
                                         {"safetensors", SafetensorsFile}});

}  // namespace
}  // namespace golden
