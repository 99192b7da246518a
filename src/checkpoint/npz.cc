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

namespace {

Status DamagedNpz(const std::string& rule, const std::string& got, const std::string& path) {
  return Status(Code::kDataLoss,
                "[npz] " + rule + "; got " + got + " (" + path + "); write it again");
}

// Members of different names that do not share their bytes.
Result<std::vector<ZipMember>> ArraysOf(std::string_view bytes, const std::string& path) {
  LOCKSTEP_ASSIGN_OR_RETURN(auto members, ReadZipDirectory(bytes, path));
  uint64_t packed = 0;
  std::set<std::string_view> names;
  for (const ZipMember& member : members) {
    packed += member.packed.size();
    if (packed > bytes.size())
      return DamagedNpz("members lie behind each other", "some that overlap", path);
    if (!names.insert(member.name).second)
      return DamagedNpz("the names of arrays differ", "two called " + member.name, path);
  }
  return members;
}

Result<TensorAbout> DescribeMember(const ZipMember& member, const std::string& path) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::string start, ZipMemberStart(member, path, kMostNpyHeader));
  LOCKSTEP_ASSIGN_OR_RETURN(TensorAbout about,
                            DescribeNpy(start, member.size, member.name + " of " + path));
  about.name = member.name;
  if (about.name.ends_with(kSuffix)) about.name.resize(about.name.size() - kSuffix.size());
  return about;
}

}  // namespace

Result<std::vector<NamedTensor>> ParseNpz(std::string_view bytes, const std::string& path,
                                          const TensorFilter& filter) {
  LOCKSTEP_ASSIGN_OR_RETURN(const auto members, ArraysOf(bytes, path));
  std::vector<NamedTensor> arrays;
  for (const ZipMember& member : members) {
    LOCKSTEP_ASSIGN_OR_RETURN(const TensorAbout about, DescribeMember(member, path));
    if (filter) {
      LOCKSTEP_ASSIGN_OR_RETURN(const bool wanted, filter(about));
      if (!wanted) continue;
    }
    LOCKSTEP_ASSIGN_OR_RETURN(const std::string content, ReadZipMember(member, path));
    LOCKSTEP_ASSIGN_OR_RETURN(Tensor tensor, ParseNpy(content, member.name + " of " + path));
    arrays.push_back({about.name, std::move(tensor)});
  }
  return arrays;
}

}  // namespace checkpoint

Result<std::vector<NamedTensor>> ReadNpz(const std::string& path, const TensorFilter& filter) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::string bytes, base::ReadWholeFile(base::LocalFiles(), path));
  return checkpoint::ParseNpz(bytes, path, filter);
}

Result<int64_t> VerifyNpz(const std::string& path) {
  LOCKSTEP_ASSIGN_OR_RETURN(const std::string bytes, base::ReadWholeFile(base::LocalFiles(), path));
  LOCKSTEP_ASSIGN_OR_RETURN(const auto members, checkpoint::ArraysOf(bytes, path));
  for (const checkpoint::ZipMember& member : members) {
    LOCKSTEP_RETURN_IF_ERROR(checkpoint::DescribeMember(member, path).status());
    LOCKSTEP_RETURN_IF_ERROR(
        checkpoint::UnpackZipMember(member, path, [](std::string_view) { return Status::Ok(); }));
  }
  return static_cast<int64_t>(members.size());
}

}  // namespace lockstep
