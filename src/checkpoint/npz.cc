#include <set>

#include "base/file.h"
#include "checkpoint/npy_format.h"
#include "checkpoint/npz.h"
#include "checkpoint/zip.h"

namespace lockstep {

namespace {

constexpr std::string_view kSuffix = ".npy";

}  // namespace

Status WriteNpz(const std::string& path, const std::vector<NamedTensor>& arrays,
                const NpzOptions& options) {
  std::vector<std::string> headers;
  std::set<std::string> names;
  for (const NamedTensor& array : arrays) {
    LOCKSTEP_ASSIGN_OR_RETURN(std::string header, checkpoint::NpyHeader(array.value));
    headers.push_back(std::move(header));
    if (!names.insert(array.name).second || array.name.size() > 60'000) {
      return Status(Code::kInvalidArgument,
                    "[npz] the names of arrays must differ and be short; got twice, or too long (" +
                        array.name.substr(0, 80) + ")");
    }
  }
  const Status written =
      checkpoint::WriteInOneStep(base::LocalFiles(), path, [&](base::WritableFile& file) -> Status {
        checkpoint::PieceWriter pieces(file);
        checkpoint::ZipWriter zip(pieces);
        for (size_t i = 0; i < arrays.size(); ++i) {
          std::string storage;
          const std::string_view elements = checkpoint::NpyElements(arrays[i].value, storage);
          LOCKSTEP_RETURN_IF_ERROR(zip.Add(arrays[i].name + std::string(kSuffix),
                                           {headers[i], elements}, options.compressed));
        }
        LOCKSTEP_RETURN_IF_ERROR(zip.Finish());
        return pieces.Flush();
      });
  return checkpoint::SaveStatus("the arrays " + path, written);
}

namespace checkpoint {

Result<std::vector<NamedTensor>> ParseNpz(std::string_view bytes, const std::string& path) {
  LOCKSTEP_ASSIGN_OR_RETURN(const auto members, ReadZipDirectory(bytes, path));
  std::vector<NamedTensor> arrays;
  uint64_t packed = 0;
  for (const ZipMember& member : members) {
    packed += member.packed.size();
    if (packed > bytes.size()) {  // members that share their bytes
      return Status(Code::kDataLoss,
                    "[npz] members lie behind each other; got some that overlap (" + path +
                        "); write it again");
    }
    LOCKSTEP_ASSIGN_OR_RETURN(const std::string content, ReadZipMember(member, path));
    LOCKSTEP_ASSIGN_OR_RETURN(Tensor tensor, ParseNpy(content, member.name + " of " + path));
    std::string name = member.name;
    if (name.ends_with(kSuffix)) name.resize(name.size() - kSuffix.size());
    arrays.push_back({std::move(name), std::move(tensor)});
  }
  return arrays;
}

}  // namespace checkpoint

Result<std::vector<NamedTensor>> ReadNpz(const std::string& path) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::string bytes, base::ReadWholeFile(base::LocalFiles(), path));
  return checkpoint::ParseNpz(bytes, path);
}

}  // namespace lockstep
