#include "cli/checkpoint.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "cli/options.h"
#include "cli/tensor_difference.h"
#include "lockstep/checkpoint/convert.h"
#include "lockstep/checkpoint/tensor_bundle.h"

namespace lockstep::cli {

namespace {

using nlohmann::ordered_json;

struct Line {
  std::string name, dtype;
  Shape shape;
  int64_t bytes = 0;
};

// From the file's header or index alone. A checkpoint may have dtypes that Lockstep does not have.
Result<std::vector<Line>> Lines(const TensorFile& file) {
  std::vector<Line> lines;
  if (file.format == FileFormat::kBundle) {
    LOCKSTEP_ASSIGN_OR_RETURN(const TensorBundle bundle, TensorBundle::Open(file.path));
    for (const auto& entry : bundle.entries()) {
      const std::string dtype = entry.dtype == DType::kInvalid
                                    ? "DataType " + std::to_string(entry.dtype_number)
                                    : std::string(DTypeName(entry.dtype));
      lines.push_back({entry.name, dtype, entry.shape, entry.bytes});
    }
    return lines;
  }
  LOCKSTEP_ASSIGN_OR_RETURN(const auto tensors, ListTensors(file));
  for (const TensorAbout& tensor : tensors)
    lines.push_back(
        {tensor.name, std::string(DTypeName(tensor.dtype)), tensor.shape, tensor.bytes});
  return lines;
}

Status List(const CheckpointArguments& arguments) {
  LOCKSTEP_ASSIGN_OR_RETURN(const TensorFile file, FindTensorFile(arguments.path));
  LOCKSTEP_ASSIGN_OR_RETURN(const auto lines, Lines(file));
  int64_t total = 0;
  size_t width = 0;
  ordered_json list = ordered_json::array();
  for (const Line& line : lines) {
    total += line.bytes;
    width = std::max(width, line.name.size());
    list.push_back({{"name", line.name},
                    {"dtype", line.dtype},
                    {"shape", line.shape.vector()},
                    {"bytes", line.bytes}});
  }
  if (arguments.json) {
    const ordered_json all = {
        {"path", file.path}, {"format", FormatName(file.format)}, {"tensors", list}};
    std::printf("%s\n", all.dump().c_str());
    return Status::Ok();
  }
  for (const Line& line : lines)
    std::printf("%-*s  %s%s\n", static_cast<int>(width), line.name.c_str(), line.dtype.c_str(),
                line.shape.ToString().c_str());
  std::printf("%zu tensors, %lld bytes, %s %s\n", lines.size(), static_cast<long long>(total),
              FormatName(file.format), file.path.c_str());
  return Status::Ok();
}

Status NoTensor(const std::string& name, const TensorFile& file) {
  return Status(Code::kNotFound, "[checkpoint] the tensor must be in the file; got none (" + name +
                                     " of " + file.path +
                                     "); `lockstep checkpoint ls` lists what there is");
}

// Only those that are asked for: others may be of dtypes that there are not here.
Status ShowOfBundle(const CheckpointArguments& arguments, const TensorFile& file) {
  LOCKSTEP_ASSIGN_OR_RETURN(const TensorBundle bundle, TensorBundle::Open(file.path));
  for (const std::string& name : arguments.names) {
    const auto* entry = bundle.Find(name);
    if (entry == nullptr) entry = bundle.Find(name + "/.ATTRIBUTES/VARIABLE_VALUE");
    if (entry == nullptr) return NoTensor(name, file);
    LOCKSTEP_ASSIGN_OR_RETURN(const Tensor tensor, bundle.Read(entry->name));
    std::printf("%s = %s\n", name.c_str(), tensor.ToString().c_str());
  }
  return Status::Ok();
}

Status Show(const CheckpointArguments& arguments) {
  LOCKSTEP_ASSIGN_OR_RETURN(const TensorFile file, FindTensorFile(arguments.path));
  if (file.format == FileFormat::kBundle && !arguments.names.empty())
    return ShowOfBundle(arguments, file);
  const auto is_named = [&](const TensorAbout& about) -> Result<bool> {
    return std::find(arguments.names.begin(), arguments.names.end(), about.name) !=
           arguments.names.end();
  };
  LOCKSTEP_ASSIGN_OR_RETURN(const SavedState state, LoadTensors(file, is_named));
  if (arguments.names.empty()) std::printf("%s\n", state.metadata.c_str());
  for (const std::string& name : arguments.names) {
    const Tensor* tensor = state.Find(name);
    if (tensor == nullptr) return NoTensor(name, file);
    std::printf("%s = %s\n", name.c_str(), tensor->ToString().c_str());
  }
  return Status::Ok();
}

// True where the files hold the same tensors.
Result<bool> Differences(const CheckpointArguments& arguments) {
  SavedState states[2];
  const std::string paths[] = {arguments.path, arguments.other};
  std::map<std::string, const Tensor*> tensors[2];
  for (int i = 0; i < 2; ++i) {
    LOCKSTEP_ASSIGN_OR_RETURN(const TensorFile file, FindTensorFile(paths[i]));
    LOCKSTEP_ASSIGN_OR_RETURN(states[i], LoadTensors(file));
    for (const NamedTensor& tensor : states[i].tensors) tensors[i][tensor.name] = &tensor.value;
  }
  int differing = 0;
  const auto say = [&](const std::string& name, const std::string& text) {
    std::printf("%s: %s\n", name.c_str(), text.c_str());
    ++differing;
  };
  for (const auto& [name, tensor] : tensors[0]) {
    const auto other = tensors[1].find(name);
    if (other == tensors[1].end()) {
      say(name, "only in " + arguments.path);
      continue;
    }
    const std::string difference = TensorDifference(*tensor, *other->second);
    if (!difference.empty()) say(name, difference);
  }
  for (const auto& [name, tensor] : tensors[1]) {
    if (tensors[0].count(name) == 0) say(name, "only in " + arguments.other);
  }
  if (differing == 0) std::printf("%zu tensors, equal in every bit\n", tensors[0].size());
  return differing == 0;
}

// What has no ending that is known is a checkpoint's prefix; what others write is no such name.
Status RequireNameToWrite(const std::string& path) {
  const auto refuse = [&](const std::string& got) {
    return Status(
        Code::kInvalidArgument,
        "[checkpoint] the name must be one of .lockstep, .safetensors, .npz or .npy, or a "
        "checkpoint's prefix; got " +
            got + "; name what is to be written");
  };
  if (path.empty()) return refuse("nothing");
  if (base::LocalFiles().IsDirectory(path)) return refuse("a directory (" + path + ")");
  const std::string given = std::filesystem::path(path).extension().string();
  std::string ending = given;
  for (char& letter : ending) letter = static_cast<char>(std::tolower(letter));
  for (const char* known : {".lockstep", ".safetensors", ".npz", ".npy"}) {
    if (ending == known && given != known) return refuse("'" + given + "' for " + known);
  }
  for (const char* foreign :
       {".h5", ".hdf5", ".keras", ".pt", ".pth", ".bin", ".pb", ".onnx", ".tflite", ".msgpack"}) {
    if (ending == foreign) return refuse("'" + given + "', which is not written here");
  }
  return Status::Ok();
}

Status Convert(const CheckpointArguments& arguments) {
  LOCKSTEP_RETURN_IF_ERROR(RequireNameToWrite(arguments.other));
  LOCKSTEP_ASSIGN_OR_RETURN(const TensorFile from, FindTensorFile(arguments.path));
  LOCKSTEP_ASSIGN_OR_RETURN(SavedState state,
                            arguments.all_names ? LoadTensorsAsTheyStand(from) : LoadTensors(from));
  const TensorFile to{arguments.other, FormatOfName(arguments.other)};
  if (to.format == FileFormat::kSafetensors || to.format == FileFormat::kNpz) {
    std::erase_if(state.tensors, [](const NamedTensor& tensor) {
      if (tensor.value.dtype() != DType::kString) return false;
      std::fprintf(stderr, "left out: %s, as strings are not kept there\n", tensor.name.c_str());
      return true;
    });
  }
  LOCKSTEP_RETURN_IF_ERROR(SaveTensors(to, state));
  std::printf("%zu tensors from %s %s to %s %s\n", state.tensors.size(), FormatName(from.format),
              from.path.c_str(), FormatName(to.format), to.path.c_str());
  return Status::Ok();
}

Status VerifyFile(const CheckpointArguments& arguments) {
  LOCKSTEP_ASSIGN_OR_RETURN(const TensorFile file, FindTensorFile(arguments.path));
  LOCKSTEP_ASSIGN_OR_RETURN(const int64_t count, VerifyTensors(file));
  // As they are kept, and as `ls` says.
  LOCKSTEP_ASSIGN_OR_RETURN(const auto lines, Lines(file));
  int64_t bytes = 0;
  for (const Line& line : lines) bytes += line.bytes;
  const bool checked = file.format != FileFormat::kSafetensors && file.format != FileFormat::kNpy;
  std::printf("%lld tensors, %lld bytes, whole%s: %s %s\n", static_cast<long long>(count),
              static_cast<long long>(bytes),
              checked ? ", every checksum fits" : " (the format has no checksums)",
              FormatName(file.format), file.path.c_str());
  return Status::Ok();
}

}  // namespace

CLI::App* AddCheckpoint(CLI::App& app, CheckpointArguments& arguments) {
  CLI::App* all = app.add_subcommand(
      "checkpoint", "look into saves, checkpoints, .safetensors, .npz and .npy, and convert them");
  all->require_subcommand(1);
  const auto add = [&](const char* name, const char* help) {
    CLI::App* command = all->add_subcommand(name, help);
    command->callback([&arguments, name] { arguments.command = name; });
    command->add_option("PATH", arguments.path, "a file, a checkpoint's prefix, or a directory")
        ->required();
    return command;
  };
  add("ls", "list the tensors")->add_flag("--json", arguments.json, "print one JSON object");
  add("show", "print tensors, or the metadata without a name")
      ->add_option("NAME", arguments.names, "names of tensors");
  add("diff", "compare two files, bit by bit")
      ->add_option("OTHER", arguments.other, "what to compare it with")
      ->required();
  CLI::App* convert = add("convert", "write the tensors in another format");
  convert
      ->add_option("TO", arguments.other,
                   "what to write: .lockstep, .safetensors, .npz or .npy, else a checkpoint")
      ->required();
  convert->add_flag("--all-names", arguments.all_names,
                    "keep a checkpoint's names as they stand, and its graph of objects");
  add("verify", "read every byte and compare the checksums");
  return all;
}

int Checkpoint(const CheckpointArguments& arguments) {
  Status status;
  bool equal = true;
  if (arguments.command == "diff") {
    const auto compared = Differences(arguments);
    status = compared.status();
    equal = compared.ok() && *compared;
  } else if (arguments.command == "ls") {
    status = List(arguments);
  } else if (arguments.command == "show") {
    status = Show(arguments);
  } else if (arguments.command == "convert") {
    status = Convert(arguments);
  } else {
    status = VerifyFile(arguments);
  }
  if (!status.ok()) {
    std::fprintf(stderr, "lockstep checkpoint: %s\n", status.ToString().c_str());
    return kFailed;
  }
  return equal ? kDone : kFailed;
}

}  // namespace lockstep::cli
