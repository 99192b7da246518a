#include "data/file_source.h"

#include <utility>

namespace lockstep::data {

namespace {

// What `open` makes of each file, one after another. `next` gives false at the end of a file. A
// file that cannot be opened is passed over by the next call.
template <typename Read>
class FileQueue {
 public:
  FileQueue(const std::vector<std::string>& files, std::function<Read(const std::string&)> open)
      : files_(files), open_(std::move(open)) {}

  template <typename Take>
  bool Next(const Take& take) {
    while (true) {
      if (!read_) {
        if (place_ == files_.size()) return false;
        read_ = open_(files_[place_++]);
      }
      if (take(read_)) return true;
      read_ = nullptr;
    }
  }

 private:
  std::vector<std::string> files_;
  std::function<Read(const std::string&)> open_;
  size_t place_ = 0;
  Read read_;
};

class FilesReader : public ElementReader {
 public:
  FilesReader(const std::vector<std::string>& files, const FileSourceNode::Open& open)
      : files_(files, open) {}
  std::optional<Element> Next() override {
    std::optional<Element> element;
    files_.Next([&](const Dataset::Generator& next) { return (element = next()).has_value(); });
    return element;
  }

 private:
  FileQueue<Dataset::Generator> files_;
};

class FileTextsReader : public TextReader {
 public:
  FileTextsReader(const std::vector<std::string>& files, const FileSourceNode::OpenTexts& open)
      : files_(files, open) {}
  bool NextText(std::string& text) override {
    return files_.Next([&](const FileSourceNode::Texts& next) { return next(text); });
  }

 private:
  FileQueue<FileSourceNode::Texts> files_;
};

}  // namespace

FileSourceNode::FileSourceNode(std::string kind, std::vector<std::string> files,
                               std::vector<TensorSpec> spec, ReadFiles read)
    : DatasetNode(
          kind + "(" + std::to_string(files.size()) + (files.size() == 1 ? " file)" : " files)"),
          {}),
      kind_(std::move(kind)),
      files_(std::move(files)),
      spec_(std::move(spec)),
      read_(std::move(read)) {}

FileSourceNode::FileSourceNode(std::string kind, std::vector<std::string> files,
                               std::vector<TensorSpec> spec, Open open)
    : FileSourceNode(std::move(kind), std::move(files), std::move(spec),
                     ReadFiles([open = std::move(open)](const std::vector<std::string>& names) {
                       return std::make_unique<FilesReader>(names, open);
                     })) {}

FileSourceNode::FileSourceNode(std::string kind, std::vector<std::string> files, OpenTexts open)
    : FileSourceNode(std::move(kind), std::move(files), {{DType::kString, Shape{}}},
                     ReadFiles([open = std::move(open)](const std::vector<std::string>& names) {
                       return std::make_unique<FileTextsReader>(names, open);
                     })) {}

NodePtr FileSourceNode::WithFiles(std::vector<std::string> files) const {
  return NodePtr(new FileSourceNode(kind_, std::move(files), spec_, read_));
}

std::unique_ptr<ElementReader> FileSourceNode::Read(Pass, int64_t first) const {
  auto reader = read_(files_);
  Discard(*reader, first);
  return reader;
}

}  // namespace lockstep::data
