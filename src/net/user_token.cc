#include "net/user_token.h"

#include <fcntl.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <mutex>
#include <optional>
#include <vector>

#include "base/environment.h"
#include "base/printf.h"
#include "net/file_descriptor.h"

namespace lockstep::net {

namespace {

constexpr char kTokenFile[] = "token";
constexpr size_t kTokenDigits = 64;

std::string HexOf(const unsigned char* bytes, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += base::Printf("%02x", bytes[i]);
  return text;
}

Status NotPrivate(const std::string& path, const std::string& got) {
  return Status(Code::kPermissionDenied,
                "[token] only this user may have access to " + path + "; got " + got +
                    "; remove it, or set LOCKSTEP_TOKEN in the server and its clients");
}

Status CheckPrivate(int file, const std::string& path, bool is_directory) {
  struct stat state {};
  if (fstat(file, &state) != 0) return NotPrivate(path, std::strerror(errno));
  if (is_directory ? !S_ISDIR(state.st_mode) : !S_ISREG(state.st_mode))
    return NotPrivate(path, "another kind of file");
  if (state.st_uid != geteuid()) return NotPrivate(path, "owner " + std::to_string(state.st_uid));
  if ((state.st_mode & 0077) != 0)
    return NotPrivate(path, base::Printf("mode %04o", state.st_mode & 07777));
  return Status::Ok();
}

bool BelongsToThisUser(const std::string& directory) {
  struct stat state {};
  return stat(directory.c_str(), &state) == 0 && S_ISDIR(state.st_mode) &&
         state.st_uid == geteuid();
}

std::string HomeDirectory() {
  const auto home = base::EnvironmentText("HOME");
  if (home && BelongsToThisUser(*home)) return *home;
  passwd entry{};
  passwd* found = nullptr;
  std::vector<char> room(16384);
  if (getpwuid_r(geteuid(), &entry, room.data(), room.size(), &found) != 0 || found == nullptr)
    return "";
  return BelongsToThisUser(entry.pw_dir) ? entry.pw_dir : "";
}

// Directories whose parents are there or are made, in the order in which they are tried.
std::vector<std::string> Candidates() {
  std::vector<std::string> places;
  if (const std::string home = HomeDirectory(); !home.empty())
    places.push_back(home + "/.local/state/lockstep");
  const auto runtime = base::EnvironmentText("XDG_RUNTIME_DIR");
  if (runtime && BelongsToThisUser(*runtime)) places.push_back(*runtime + "/lockstep");
  places.push_back(base::EnvironmentText("TMPDIR").value_or("/tmp") + "/lockstep-" +
                   std::to_string(geteuid()));
  return places;
}

// Makes the last three levels of a home's directory where they are missing.
void MakeDirectories(const std::string& path) {
  const size_t state = path.rfind("/.local/state/lockstep");
  if (state != std::string::npos) {
    mkdir((path.substr(0, state) + "/.local").c_str(), 0700);
    mkdir((path.substr(0, state) + "/.local/state").c_str(), 0700);
  }
  mkdir(path.c_str(), 0700);
}

Result<std::string> ReadToken(int directory, const std::string& path) {
  const FileDescriptor file(
      openat(directory, kTokenFile, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file.ok() && errno == ENOENT) return Status(Code::kNotFound, path);
  if (!file.ok()) return NotPrivate(path, std::strerror(errno));
  LOCKSTEP_RETURN_IF_ERROR(CheckPrivate(file.get(), path, /*is_directory=*/false));
  char text[kTokenDigits + 1];
  const ssize_t size = read(file.get(), text, sizeof(text));
  if (size != static_cast<ssize_t>(kTokenDigits))
    return Status(Code::kDataLoss, "[token] a token has 64 digits; got " + std::to_string(size) +
                                       " bytes (" + path + "); remove the file");
  return std::string(text, kTokenDigits);
}

// Another process may write one at the same time; the first one counts.
bool WriteToken(int directory) {
  unsigned char secret[kTokenDigits / 2];
  if (RAND_bytes(secret, sizeof(secret)) != 1) return false;
  const std::string token = HexOf(secret, sizeof(secret));
  const std::string unfinished = std::string(kTokenFile) + "." + std::to_string(getpid());
  unlinkat(directory, unfinished.c_str(), 0);
  const FileDescriptor file(openat(directory, unfinished.c_str(),
                                   O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!file.ok()) return false;
  const bool written =
      write(file.get(), token.data(), token.size()) == static_cast<ssize_t>(token.size()) &&
      (linkat(directory, unfinished.c_str(), directory, kTokenFile, 0) == 0 || errno == EEXIST);
  unlinkat(directory, unfinished.c_str(), 0);
  return written;
}

// Nothing where the directory cannot be made or written.
std::optional<Result<std::string>> TokenIn(const std::string& place) {
  MakeDirectories(place);
  const FileDescriptor directory(
      open(place.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!directory.ok()) {
    struct stat state {};
    if (lstat(place.c_str(), &state) != 0) return std::nullopt;
    return NotPrivate(place, std::strerror(errno));
  }
  const Status checked = CheckPrivate(directory.get(), place, /*is_directory=*/true);
  if (!checked.ok()) return checked;
  const std::string path = place + "/" + kTokenFile;
  Result<std::string> token = ReadToken(directory.get(), path);
  if (token.ok() || token.status().code() != Code::kNotFound) return token;
  if (!WriteToken(directory.get())) return std::nullopt;
  return ReadToken(directory.get(), path);
}

}  // namespace

Result<std::string> UserToken() {
  static std::mutex mutex;  // two threads of a process would share the unfinished file
  const std::lock_guard<std::mutex> lock(mutex);
  std::string tried;
  for (const std::string& place : Candidates()) {
    if (auto token = TokenIn(place)) return *token;
    tried += (tried.empty() ? "" : ", ") + place;
  }
  return Status(Code::kUnavailable,
                "[token] no directory for this user's token can be written; got " + tried +
                    "; let HOME or XDG_RUNTIME_DIR name one, or set LOCKSTEP_TOKEN in the server "
                    "and its clients");
}

std::string TokenFor(const std::string& token, const std::string& address) {
  const std::string place =
      address.starts_with("unix:") ? address : address.substr(address.rfind(':') + 1);
  unsigned char code[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  HMAC(EVP_sha256(), token.data(), static_cast<int>(token.size()),
       reinterpret_cast<const unsigned char*>(place.data()), place.size(), code, &size);
  return HexOf(code, size);
}

}  // namespace lockstep::net
