#include "data/mnist.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "data/idx.h"

namespace lockstep::data {
namespace {

constexpr int64_t kSide = 28;
constexpr int kClasses = 10;

Status Fault(const std::string& rule, const std::string& got, const std::string& place,
             const std::string& cure) {
  return Status(Code::kInvalidArgument,
                "[mnist] " + rule + "; got " + got + " (" + place + "); " + cure);
}

// The file of `directory` that is called `stem`-`suffix` or `stem`.`suffix`, plain or .gz.
Result<std::string> FindFile(const std::string& directory, const std::string& stem,
                             const std::string& suffix) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (!fs::is_directory(directory, ignored)) {
    const bool exists = fs::exists(directory, ignored);
    return Status(exists ? Code::kInvalidArgument : Code::kNotFound,
                  "[mnist] a directory with the four IDX files is needed; got " +
                      std::string(exists ? "a file" : "nothing") + " (" + directory +
                      "); name the directory that holds train-images-idx3-ubyte and its fellows");
  }
  for (const char* joint : {"-", "."}) {
    for (const char* ending : {"", ".gz"}) {
      fs::path path = fs::path(directory) / stem;
      (path += joint) += suffix + ending;
      if (fs::is_regular_file(path, ignored)) return path.string();
      if (fs::exists(path, ignored)) {
        return Status(Code::kInvalidArgument,
                      "[mnist] an IDX file must be a regular file; got a "
                      "directory, a pipe or a device (" +
                          path.string() + "); put the file itself there");
      }
    }
  }
  return Status(Code::kNotFound, "[mnist] the directory must hold " + stem + "-" + suffix +
                                     " (or " + stem + "." + suffix +
                                     ", each with or without .gz); got none of them (" + directory +
                                     "); put the file there or name another directory");
}

Status CheckImages(const IdxHeader& header, const std::string& path) {
  if (header.dims[1] != kSide || header.dims[2] != kSide) {
    return Fault("images must be 28 by 28", header.ToString(), path, "rescale them");
  }
  if (header.dims[0] == 0) {
    return Fault("a set must hold an example or more", header.ToString(), path, "fetch it again");
  }
  return Status::Ok();
}

Status CheckLabels(const std::vector<uint8_t>& labels, const std::string& path) {
  const auto wrong =
      std::find_if(labels.begin(), labels.end(), [](uint8_t label) { return label >= kClasses; });
  if (wrong == labels.end()) return Status::Ok();
  return Fault("a label must be one of 0 to 9", std::to_string(*wrong),
               "label " + std::to_string(wrong - labels.begin()) + " of " +
                   std::to_string(labels.size()) + ", counted from 0, in " + path,
               "renumber the classes, or check that this is the labels' file");
}

Result<ImageSet> LoadSet(const std::string& directory, const std::string& name) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::string images_path,
                            FindFile(directory, name + "-images", "idx3-ubyte"));
  LOCKSTEP_ASSIGN_OR_RETURN(const std::string labels_path,
                            FindFile(directory, name + "-labels", "idx1-ubyte"));
  LOCKSTEP_ASSIGN_OR_RETURN(IdxArray labels, ReadIdx(labels_path, {"labels", 1, IdxType::kUint8}));
  LOCKSTEP_ASSIGN_OR_RETURN(IdxArray images, ReadIdx(images_path, {"images", 3, IdxType::kUint8}));
  LOCKSTEP_RETURN_IF_ERROR(CheckImages(images.header, images_path));
  const int64_t count = images.header.dims[0];
  if (labels.header.dims[0] != count) {
    return Fault(
        "every image must have one label",
        std::to_string(count) + " images and " + std::to_string(labels.header.dims[0]) + " labels",
        images_path + " and " + labels_path, "take both files from the same set");
  }
  LOCKSTEP_RETURN_IF_ERROR(CheckLabels(labels.bytes, labels_path));
  return ImageSet{count, kSide, kSide, std::move(images.bytes), std::move(labels.bytes)};
}

}  // namespace

Result<ImageData> LoadMnist(const std::string& directory) {
  ImageData data;
  LOCKSTEP_ASSIGN_OR_RETURN(data.train, LoadSet(directory, "train"));
  LOCKSTEP_ASSIGN_OR_RETURN(data.test, LoadSet(directory, "t10k"));
  return data;
}

}  // namespace lockstep::data
