// The elements of a pass in a file: records, each with a message of one TensorProto a component.

#include <utility>

#include "base/file.h"
#include "base/wire.h"
#include "data/dataset_node.h"
#include "lockstep/data/record.h"
#include "lockstep/data/transformations.h"
#include "tensor/tensor_proto.h"

namespace lockstep {

namespace {

using data::ElementReader;

std::string Encode(const Element& element) {
  base::WireWriter message;
  for (const Tensor& component : element) message.Bytes(1, tensor::TensorProto(component));
  return std::move(message).bytes();
}

Element Decode(const std::string& record, const std::string& path) {
  Element element;
  base::WireReader message(record);
  bool whole = true;
  while (whole && message.Next()) {
    auto component = tensor::ParseTensorProto(message.bytes());
    whole = component.has_value();
    if (whole) element.push_back(std::move(*component));
  }
  if (whole && !message.broken() && !element.empty()) return element;
  throw Error(Code::kDataLoss, "[dataset.cache] a kept element must be whole; got another (" +
                                   path + "); remove the file, and it is made again");
}

struct FileReader : ElementReader {
  FileReader(TFRecordReader reader, std::string name)
      : records(std::move(reader)), path(std::move(name)) {}
  std::optional<Element> Next() override {
    std::string record;
    const auto more = records.Next(record);
    if (!more.OrThrow()) return std::nullopt;
    return Decode(record, path);
  }
  TFRecordReader records;
  std::string path;
};

// Reads the input and keeps what it gives; only a pass that runs to its end makes the file.
struct Filler : ElementReader {
  Filler(std::unique_ptr<ElementReader> reader, std::string name)
      : input(std::move(reader)), path(std::move(name)) {
    auto opened = TFRecordWriter::Open(path + ".unfinished");
    opened.status().OrThrow();
    writer.emplace(std::move(opened).value());
  }
  ~Filler() override {
    if (writer) (void)base::LocalFiles().Remove(path + ".unfinished");
  }
  std::optional<Element> Next() override {
    std::optional<Element> element = input->Next();
    if (!writer) return element;
    if (element) {
      writer->Write(Encode(*element)).OrThrow();
    } else {
      const Status closed = writer->Close();
      writer.reset();
      closed.OrThrow();
      base::LocalFiles().Rename(path + ".unfinished", path).OrThrow();
    }
    return element;
  }
  std::unique_ptr<ElementReader> input;
  std::string path;
  std::optional<TFRecordWriter> writer;
};

class DiskCacheNode : public data::DatasetNode {
 public:
  DiskCacheNode(data::NodePtr input, std::string path)
      : DatasetNode("cache(on disk)", {std::move(input)}), path_(std::move(path)) {}
  data::NodePtr WithInputs(const std::vector<data::NodePtr>& inputs) const override {
    return std::make_shared<DiskCacheNode>(inputs[0], path_);
  }
  int64_t cardinality() const override { return input().cardinality(); }
  data::Spec spec() const override { return input().spec(); }
  std::string stream_reason() const override { return "the file is read from the front"; }
  std::unique_ptr<ElementReader> Read(data::Pass pass, int64_t first) const override {
    auto file = TFRecordReader::Open(path_);
    std::unique_ptr<ElementReader> reader;
    if (file.ok()) {
      reader = std::make_unique<FileReader>(std::move(file).value(), path_);
    } else {
      if (file.status().code() != Code::kNotFound) file.status().OrThrow();
      reader = std::make_unique<Filler>(input().Read(pass, 0), path_);
    }
    data::Discard(*reader, first);
    return reader;
  }

 private:
  std::string path_;
};

}  // namespace

Dataset CacheOnDisk(const Dataset& dataset, const std::string& path) {
  return Dataset(std::make_shared<DiskCacheNode>(dataset.node(), path));
}

}  // namespace lockstep
