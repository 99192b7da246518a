#include "base/memory_files.h"

#include <algorithm>
#include <cstring>

#include "base/check.h"

namespace lockstep::base {

namespace {

std::string DirectoryOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

Status NotThere(const std::string& path) {
  return Status(Code::kNotFound,
                "[file] opening must succeed; got No such file or directory (" + path + ")");
}

}  // namespace

struct MemoryFiles::Content {
  std::string bytes;
  std::string synced;
};

class MemoryFiles::Writer final : public WritableFile {
 public:
  Writer(MemoryFiles& disk, std::string path, std::shared_ptr<Content> content)
      : disk_(disk),
        path_(std::move(path)),
        content_(std::move(content)),
        place_(content_->bytes.size()) {}

  Status Append(std::span<const std::byte> bytes) override {
    LOCKSTEP_RETURN_IF_ERROR(disk_.Operation("writing", path_));
    std::string& all = content_->bytes;
    // Somebody else may have emptied the file meanwhile: each writer has a place of its own.
    if (all.size() < place_) all.resize(place_);
    size_t fits = bytes.size();
    if (disk_.capacity_ >= 0) {
      const int64_t room = std::max<int64_t>(0, disk_.capacity_ - disk_.UsedBytes());
      fits = std::min<size_t>(fits, all.size() - place_ + static_cast<size_t>(room));
    }
    all.replace(place_, fits, reinterpret_cast<const char*>(bytes.data()), fits);
    place_ += fits;
    if (fits == bytes.size()) return Status::Ok();
    return Status(Code::kResourceExhausted,
                  "[file] writing must succeed; got No space left on device (" + path_ + ")");
  }
  Status Sync() override {
    LOCKSTEP_RETURN_IF_ERROR(disk_.Operation("syncing", path_));
    content_->synced = content_->bytes;
    return Status::Ok();
  }
  Status Close() override { return disk_.Operation("closing", path_); }

 private:
  MemoryFiles& disk_;
  std::string path_;
  std::shared_ptr<Content> content_;
  size_t place_;
};

class MemoryFiles::Reader final : public ReadableFile {
 public:
  Reader(std::string path, std::shared_ptr<Content> content)
      : path_(std::move(path)), content_(std::move(content)) {}
  uint64_t size() const override { return content_->bytes.size(); }
  Status Read(uint64_t offset, std::span<std::byte> out) const override {
    if (offset > size() || size() - offset < out.size()) {
      return Status(Code::kOutOfRange, "[file] what is read must be there; got the end at " +
                                           std::to_string(size()) + " (" + path_ + ")");
    }
    if (!out.empty()) std::memcpy(out.data(), content_->bytes.data() + offset, out.size());
    return Status::Ok();
  }

 private:
  std::string path_;
  std::shared_ptr<Content> content_;
};

MemoryFiles::MemoryFiles() = default;
MemoryFiles::~MemoryFiles() = default;

Status MemoryFiles::Operation(const char* doing, const std::string& path) {
  const int64_t number = operations_++;
  if (fail_from_ < 0 || number < fail_from_) return Status::Ok();
  return Status(fail_code_, std::string("[file] ") + doing + " must succeed; got a failing disk (" +
                                path + ")");
}

Result<std::shared_ptr<MemoryFiles::Content>> MemoryFiles::Find(const std::string& path) const {
  const auto place = names_.find(path);
  if (place == names_.end()) return NotThere(path);
  return place->second;
}

int64_t MemoryFiles::UsedBytes() const {
  int64_t used = 0;
  for (const auto& [name, content] : names_) used += static_cast<int64_t>(content->bytes.size());
  return used;
}

Result<std::unique_ptr<WritableFile>> MemoryFiles::Create(const std::string& path) {
  LOCKSTEP_RETURN_IF_ERROR(Operation("creating", path));
  if (!IsDirectory(DirectoryOf(path))) return NotThere(path);
  auto& content = names_[path];
  if (content == nullptr) content = std::make_shared<Content>();
  // Emptying keeps the synced content until the next sync, as a disk may.
  content->bytes.clear();
  return std::unique_ptr<WritableFile>(std::make_unique<Writer>(*this, path, content));
}

Result<std::unique_ptr<WritableFile>> MemoryFiles::Extend(const std::string& path) {
  LOCKSTEP_RETURN_IF_ERROR(Operation("creating", path));
  if (!IsDirectory(DirectoryOf(path))) return NotThere(path);
  auto& content = names_[path];
  if (content == nullptr) content = std::make_shared<Content>();
  return std::unique_ptr<WritableFile>(std::make_unique<Writer>(*this, path, content));
}

Result<std::unique_ptr<ReadableFile>> MemoryFiles::Open(const std::string& path) {
  LOCKSTEP_ASSIGN_OR_RETURN(auto content, Find(path));
  return std::unique_ptr<ReadableFile>(std::make_unique<Reader>(path, content));
}

Status MemoryFiles::Rename(const std::string& from, const std::string& to) {
  LOCKSTEP_RETURN_IF_ERROR(Operation("renaming", from));
  LOCKSTEP_ASSIGN_OR_RETURN(auto content, Find(from));
  names_.erase(from);
  names_[to] = content;
  return Status::Ok();
}

Status MemoryFiles::Remove(const std::string& path) {
  LOCKSTEP_RETURN_IF_ERROR(Operation("removing", path));
  return names_.erase(path) == 1 ? Status::Ok() : NotThere(path);
}

Status MemoryFiles::CreateDirectories(const std::string& path) {
  for (size_t slash = path.find('/', 1); slash != std::string::npos;
       slash = path.find('/', slash + 1)) {
    directories_[path.substr(0, slash)] = true;
  }
  directories_[path] = true;
  return Status::Ok();
}

Status MemoryFiles::SyncDirectory(const std::string& path) {
  LOCKSTEP_RETURN_IF_ERROR(Operation("syncing the directory", path));
  const auto inside = [&](const auto& entry) { return DirectoryOf(entry.first) == path; };
  std::erase_if(synced_names_, inside);
  for (const auto& entry : names_) {
    if (inside(entry)) synced_names_.insert(entry);
  }
  return Status::Ok();
}

Result<std::vector<std::string>> MemoryFiles::List(const std::string& path) {
  if (!IsDirectory(path)) return NotThere(path);
  std::vector<std::string> names;
  for (const auto& [name, content] : names_) {
    if (DirectoryOf(name) == path) names.push_back(name.substr(name.rfind('/') + 1));
  }
  return names;
}

bool MemoryFiles::IsDirectory(const std::string& path) {
  return path == "." || directories_.count(path) > 0;
}

void MemoryFiles::FailFrom(int64_t operation, Code code) {
  operations_ = 0;
  fail_from_ = operation;
  fail_code_ = code;
}

void MemoryFiles::LosePower(NamesLeft left) {
  if (left == NamesLeft::kSynced) names_ = synced_names_;
  for (auto& [name, content] : names_) content->bytes = content->synced;
  synced_names_ = names_;
}

void MemoryFiles::FlipBit(const std::string& path, uint64_t bit) {
  std::string& bytes = names_.at(path)->bytes;
  LOCKSTEP_CHECK_LT(bit / 8, bytes.size());
  bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
}

void MemoryFiles::Truncate(const std::string& path, uint64_t bytes) {
  names_.at(path)->bytes.resize(bytes);
}

}  // namespace lockstep::base
