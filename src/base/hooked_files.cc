#include "base/hooked_files.h"

namespace lockstep::base {

class HookedFiles::Writer final : public WritableFile {
 public:
  Writer(const Before& before, std::unique_ptr<WritableFile> file)
      : before_(before), file_(std::move(file)) {}
  Status Append(std::span<const std::byte> bytes) override {
    LOCKSTEP_RETURN_IF_ERROR(before_(true));
    return file_->Append(bytes);
  }
  Status Sync() override {
    LOCKSTEP_RETURN_IF_ERROR(before_(true));
    return file_->Sync();
  }
  Status Close() override {
    LOCKSTEP_RETURN_IF_ERROR(before_(true));
    return file_->Close();
  }

 private:
  const Before& before_;
  const std::unique_ptr<WritableFile> file_;
};

Result<std::unique_ptr<WritableFile>> HookedFiles::Create(const std::string& path) {
  LOCKSTEP_RETURN_IF_ERROR(before_(true));
  LOCKSTEP_ASSIGN_OR_RETURN(auto file, files_.Create(path));
  return std::unique_ptr<WritableFile>(std::make_unique<Writer>(before_, std::move(file)));
}

Result<std::unique_ptr<WritableFile>> HookedFiles::Extend(const std::string& path) {
  LOCKSTEP_RETURN_IF_ERROR(before_(true));
  LOCKSTEP_ASSIGN_OR_RETURN(auto file, files_.Extend(path));
  return std::unique_ptr<WritableFile>(std::make_unique<Writer>(before_, std::move(file)));
}

Result<std::unique_ptr<ReadableFile>> HookedFiles::Open(const std::string& path) {
  LOCKSTEP_RETURN_IF_ERROR(before_(false));
  return files_.Open(path);
}

Status HookedFiles::Rename(const std::string& from, const std::string& to) {
  LOCKSTEP_RETURN_IF_ERROR(before_(true));
  return files_.Rename(from, to);
}

Status HookedFiles::Remove(const std::string& path) {
  LOCKSTEP_RETURN_IF_ERROR(before_(true));
  return files_.Remove(path);
}

Status HookedFiles::CreateDirectories(const std::string& path) {
  LOCKSTEP_RETURN_IF_ERROR(before_(true));
  return files_.CreateDirectories(path);
}

Status HookedFiles::SyncDirectory(const std::string& path) {
  LOCKSTEP_RETURN_IF_ERROR(before_(true));
  return files_.SyncDirectory(path);
}

Result<std::vector<std::string>> HookedFiles::List(const std::string& path) {
  LOCKSTEP_RETURN_IF_ERROR(before_(false));
  return files_.List(path);
}

bool HookedFiles::IsDirectory(const std::string& path) {
  return before_(false).ok() && files_.IsDirectory(path);
}

std::shared_ptr<FileSystem> HookedFiles::ForThread() {
  struct Held {
    Held(std::shared_ptr<FileSystem> own, Before before)
        : files(std::move(own)), hooked(*files, std::move(before)) {}
    const std::shared_ptr<FileSystem> files;
    HookedFiles hooked;
  };
  auto held =
      std::make_shared<Held>(files_.ForThread(), before_elsewhere_ ? before_elsewhere_() : before_);
  return {held, &held->hooked};
}

}  // namespace lockstep::base
