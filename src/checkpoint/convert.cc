#include "lockstep/checkpoint/convert.h"

#include <map>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "checkpoint/bundle_format.h"
#include "checkpoint/checkpoint_state.h"
#include "checkpoint/npy_format.h"
#include "checkpoint/object_graph.h"
#include "checkpoint/save_directory.h"
#include "checkpoint/save_file.h"
#include "lockstep/checkpoint/checkpoint.h"
#include "lockstep/checkpoint/npy.h"
#include "lockstep/checkpoint/safetensors.h"
#include "lockstep/checkpoint/tensor_bundle.h"

namespace lockstep {

namespace {

constexpr std::string_view kIndexSuffix = ".index";
constexpr std::string_view kValueSuffix = "/.ATTRIBUTES/VARIABLE_VALUE";
constexpr char kArray[] = "array";

Result<TensorFile> InDirectory(base::FileSystem& files, const std::string& path) {
  if (const auto latest = LatestCheckpoint(path)) return TensorFile{*latest, FileFormat::kBundle};
  LOCKSTEP_ASSIGN_OR_RETURN(const std::string newest,
                            checkpoint::SaveDirectory(files, path).NewestPath());
  return TensorFile{newest, FileFormat::kSave};
}

// By the first bytes of a file.
Result<TensorFile> ByContent(const base::ReadableFile& file, const std::string& path) {
  std::string start(std::min<uint64_t>(file.size(), 16), '\0');
  LOCKSTEP_RETURN_IF_ERROR(file.Read(0, std::as_writable_bytes(std::span(start))));
  if (start.starts_with("LOCKSTEP")) return TensorFile{path, FileFormat::kSave};
  if (start.starts_with("\x93NUMPY")) return TensorFile{path, FileFormat::kNpy};
  if (start.starts_with("PK")) return TensorFile{path, FileFormat::kNpz};
  if (start.size() > 8 && start[8] == '{') return TensorFile{path, FileFormat::kSafetensors};
  return Status(Code::kInvalidArgument,
                "[checkpoint] a file of tensors is a save, a checkpoint, .safetensors, .npz or "
                ".npy; got another (" +
                    path + "); a checkpoint is named without .index and .data");
}

std::string ShortName(const std::string& name) {
  if (!name.ends_with(kValueSuffix)) return name;
  return name.substr(0, name.size() - kValueSuffix.size());
}

// The filter gets the name that the result has.
Result<SavedState> LoadBundle(const std::string& prefix, bool as_it_stands,
                              const TensorFilter& filter = {}) {
  LOCKSTEP_ASSIGN_OR_RETURN(const TensorBundle bundle, TensorBundle::Open(prefix));
  SavedState state;
  for (const auto& entry : bundle.entries()) {
    if (!as_it_stands && entry.name == checkpoint::kObjectGraphName) continue;
    const std::string name = as_it_stands ? entry.name : ShortName(entry.name);
    if (filter) {
      LOCKSTEP_ASSIGN_OR_RETURN(const bool wanted,
                                filter({name, entry.dtype, entry.shape, entry.bytes}));
      if (!wanted) continue;
    }
    LOCKSTEP_ASSIGN_OR_RETURN(Tensor tensor, bundle.Read(entry.name));
    state.tensors.push_back({name, tensor});
  }
  return state;
}

// The one array of an .npy file, by its header alone.
Result<TensorAbout> DescribeArray(const std::string& path) {
  LOCKSTEP_ASSIGN_OR_RETURN(const auto file, base::LocalFiles().Open(path));
  std::string start(std::min<uint64_t>(file->size(), checkpoint::kMostNpyHeader), '\0');
  LOCKSTEP_RETURN_IF_ERROR(file->Read(0, std::as_writable_bytes(std::span(start))));
  LOCKSTEP_ASSIGN_OR_RETURN(TensorAbout about, checkpoint::DescribeNpy(start, file->size(), path));
  about.name = kArray;
  return about;
}

// The object at the path `name`, made where it is not there yet.
struct Tree {
  Trackable object;
  std::map<std::string, Tree> parts;
};

Status AddToTree(const NamedTensor& tensor, Tree& root) {
  Tree* place = &root;
  const std::string name = ShortName(tensor.name);
  for (size_t begin = 0; begin <= name.size();) {
    const size_t end = std::min(name.find('/', begin), name.size());
    const std::string part = name.substr(begin, end - begin);
    const bool last = end == name.size();
    const auto [next, added] = place->parts.try_emplace(part);
    if ((last && !added) || (!last && next->second.object.variable().defined())) {
      return Status(Code::kInvalidArgument,
                    "[checkpoint] a tensor's name must not be the beginning of another's; got "
                    "twice " +
                        name + "; rename one");
    }
    if (last) next->second.object = Trackable(Variable(tensor.value, {.name = name}));
    if (added) place->object.Add(part, next->second.object);
    place = &next->second;
    begin = end + 1;
  }
  return Status::Ok();
}

Status SaveBundle(const std::string& prefix, const SavedState& state) {
  // One that was read as it stands has its names, and its graph of objects, already.
  if (state.Find(checkpoint::kObjectGraphName) != nullptr) {
    std::vector<BundleTensor> tensors;
    for (const NamedTensor& tensor : state.tensors)
      tensors.push_back({tensor.name, tensor.value, ""});
    return WriteTensorBundle(prefix, tensors);
  }
  Tree root;
  for (const NamedTensor& tensor : state.tensors) LOCKSTEP_RETURN_IF_ERROR(AddToTree(tensor, root));
  return Checkpoint(root.object.parts()).Write(prefix);
}

Status SaveSafetensors(const std::string& path, const SavedState& state) {
  Safetensors content{state.tensors, {}};
  const auto metadata = nlohmann::json::parse(state.metadata, nullptr, false);
  if (metadata.is_object()) {
    for (const auto& [key, value] : metadata.items())
      content.metadata[key] = value.is_string() ? value.get<std::string>() : value.dump();
  }
  return WriteSafetensors(path, content);
}

}  // namespace

const char* FormatName(FileFormat format) {
  constexpr const char* kNames[] = {"save", "checkpoint", "safetensors", "npz", "npy"};
  return kNames[static_cast<int>(format)];
}

Result<TensorFile> FindTensorFile(const std::string& path) {
  base::FileSystem& files = base::LocalFiles();
  if (files.IsDirectory(path)) return InDirectory(files, path);
  const bool index = path.ends_with(kIndexSuffix);
  const std::string prefix = index ? path.substr(0, path.size() - kIndexSuffix.size()) : path;
  if (files.Open(checkpoint::IndexPath(prefix)).ok())
    return TensorFile{prefix, FileFormat::kBundle};
  LOCKSTEP_ASSIGN_OR_RETURN(const auto file, files.Open(path));
  return ByContent(*file, path);
}

FileFormat FormatOfName(const std::string& path) {
  if (path.ends_with(".lockstep")) return FileFormat::kSave;
  if (path.ends_with(".safetensors")) return FileFormat::kSafetensors;
  if (path.ends_with(".npz")) return FileFormat::kNpz;
  if (path.ends_with(".npy")) return FileFormat::kNpy;
  return FileFormat::kBundle;
}

Result<SavedState> LoadTensors(const TensorFile& file, const TensorFilter& filter) {
  SavedState state;
  switch (file.format) {
    case FileFormat::kSave:
      return checkpoint::ReadSave(base::LocalFiles(), file.path, filter);
    case FileFormat::kBundle:
      return LoadBundle(file.path, /*as_it_stands=*/false, filter);
    case FileFormat::kSafetensors: {
      LOCKSTEP_ASSIGN_OR_RETURN(Safetensors content, ReadSafetensors(file.path, filter));
      state.tensors = std::move(content.tensors);
      state.metadata = nlohmann::json(content.metadata).dump();
      if (content.metadata.empty()) state.metadata = "{}";
      return state;
    }
    case FileFormat::kNpz: {
      LOCKSTEP_ASSIGN_OR_RETURN(state.tensors, ReadNpz(file.path, filter));
      return state;
    }
    default: {
      if (filter) {
        LOCKSTEP_ASSIGN_OR_RETURN(const TensorAbout about, DescribeArray(file.path));
        LOCKSTEP_ASSIGN_OR_RETURN(const bool wanted, filter(about));
        if (!wanted) return state;
      }
      LOCKSTEP_ASSIGN_OR_RETURN(Tensor tensor, ReadNpy(file.path));
      state.tensors.push_back({kArray, std::move(tensor)});
      return state;
    }
  }
}

Result<SavedState> LoadTensorsAsTheyStand(const TensorFile& file) {
  if (file.format != FileFormat::kBundle) return LoadTensors(file);
  return LoadBundle(file.path, /*as_it_stands=*/true);
}

Result<std::vector<TensorAbout>> ListTensors(const TensorFile& file) {
  std::vector<TensorAbout> all;
  const auto list = [&](const TensorAbout& about) -> Result<bool> {
    all.push_back(about);
    return false;
  };
  if (file.format == FileFormat::kBundle) {
    LOCKSTEP_RETURN_IF_ERROR(LoadBundle(file.path, /*as_it_stands=*/true, list).status());
  } else {
    LOCKSTEP_RETURN_IF_ERROR(LoadTensors(file, list).status());
  }
  return all;
}

Result<int64_t> VerifyTensors(const TensorFile& file) {
  if (file.format == FileFormat::kNpz) return VerifyNpz(file.path);
  LOCKSTEP_ASSIGN_OR_RETURN(const SavedState state, LoadTensorsAsTheyStand(file));
  return static_cast<int64_t>(state.tensors.size());
}

Status SaveTensors(const TensorFile& file, const SavedState& state) {
  switch (file.format) {
    case FileFormat::kSave:
      return SaveState(file.path, state);
    case FileFormat::kBundle:
      return SaveBundle(file.path, state);
    case FileFormat::kSafetensors:
      return SaveSafetensors(file.path, state);
    case FileFormat::kNpz:
      return WriteNpz(file.path, state.tensors);
    default:
      if (state.tensors.size() == 1) return WriteNpy(file.path, state.tensors[0].value);
      return Status(Code::kInvalidArgument, "[checkpoint] an .npy file holds one tensor; got " +
                                                std::to_string(state.tensors.size()) + " (" +
                                                file.path + "); write .npz");
  }
}

}  // namespace lockstep
