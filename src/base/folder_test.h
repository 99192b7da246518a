#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace lockstep::base {

/// A folder for one test: new, and gone with this, whatever is in it.
class TestFolder {
 public:
  TestFolder() : path_(testing::TempDir() + "lockstep_XXXXXX") {
    if (mkdtemp(path_.data()) == nullptr) ADD_FAILURE() << "no folder can be made at " << path_;
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  ~TestFolder() { std::filesystem::remove_all(path_); }

  const std::string& path() const { return path_; }
  /// The path of what is or shall be called `name` in it.
  std::string Path(const std::string& name) const { return path_ + "/" + name; }
  /// The bytes of a file in it; none if there is no such file.
  std::string Read(const std::string& name) const {
    std::ifstream file(Path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::string path_;
};

}  // namespace lockstep::base
