#include "data/file_source.h"

#include <utility>

namespace lockstep::data {

namespace {

class FilesReader : public ElementReader {
 public:
  FilesReader(const std::vector<std::string>& files, FileSourceNode::Open open)
      : files_(files), open_(std::move(open)) {}

  std::optional<Element> Next() override {
    while (true) {
      if (!next_) {
        if (place_ == files_.size()) return std::nullopt;
        const std::string& path = files_[place_++];
        next_ = open_(path);  // a file that cannot be opened is passed over by the next call
      }
      std::optional<Element> element = next_();
      if (element) return element;
      next_ = nullptr;
    }
  }

 private:
  std::vector<std::string> files_;
  FileSourceNode::Open open_;
  size_t place_ = 0;
  Dataset::Generator next_;
};

}  // namespace

FileSourceNode::FileSourceNode(std::string kind, std::vector<std::string> files,
                               std::vector<TensorSpec> spec, Open open)
    : DatasetNode(
          kind + "(" + std::to_string(files.size()) + (files.size() == 1 ? " file)" : " files)"),
          {}),
      kind_(std::move(kind)),
      files_(std::move(files)),
      spec_(std::move(spec)),
      open_(std::move(open)) {}

NodePtr FileSourceNode::WithFiles(std::vector<std::string> files) const {
  return std::make_shared<FileSourceNode>(kind_, std::move(files), spec_, open_);
}

std::unique_ptr<ElementReader> FileSourceNode::Read(int64_t, int64_t first) const {
  auto reader = std::make_unique<FilesReader>(files_, open_);
  Discard(*reader, first);
  return reader;
}

}  // namespace lockstep::data
