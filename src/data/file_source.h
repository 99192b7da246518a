#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "data/dataset_node.h"

namespace lockstep::data {

/// A dataset that is read from files, one after another.
class FileSourceNode : public DatasetNode {
 public:
  /// The elements of one file, from its beginning. Throws what goes wrong.
  using Open = std::function<Dataset::Generator(const std::string& path)>;
  /// The same of files whose elements are strings: puts the next one into `text`; false at the end.
  using Texts = std::function<bool(std::string& text)>;
  using OpenTexts = std::function<Texts(const std::string& path)>;

  FileSourceNode(std::string kind, std::vector<std::string> files, std::vector<TensorSpec> spec,
                 Open open);
  FileSourceNode(std::string kind, std::vector<std::string> files, OpenTexts open);

  const std::vector<std::string>& files() const { return files_; }
  /// The same over other files.
  NodePtr WithFiles(std::vector<std::string> files) const;

  int64_t cardinality() const override { return kUnknownCardinality; }
  Spec spec() const override { return spec_; }
  std::string stream_reason() const override { return "files are read from the front"; }
  std::unique_ptr<ElementReader> Read(Pass pass, int64_t first) const override;

 private:
  using ReadFiles = std::function<std::unique_ptr<ElementReader>(const std::vector<std::string>&)>;
  FileSourceNode(std::string kind, std::vector<std::string> files, std::vector<TensorSpec> spec,
                 ReadFiles read);

  std::string kind_;
  std::vector<std::string> files_;
  std::vector<TensorSpec> spec_;
  ReadFiles read_;
};

}  // namespace lockstep::data
