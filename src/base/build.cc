#include "base/build.h"

#include <elf.h>
#include <link.h>

#include <cstdint>
#include <cstring>

namespace lockstep::base {
namespace {

constexpr char kHex[] = "0123456789abcdef";

size_t Aligned(size_t size) { return (size + 3) & ~size_t{3}; }

// The notes of a segment are (length of name, length of content, type), name, content.
void ReadNotes(const char* at, size_t size, std::string* id) {
  while (size >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    std::memcpy(&note, at, sizeof(note));
    const size_t name = sizeof(note), content = name + Aligned(note.n_namesz);
    const size_t end = content + Aligned(note.n_descsz);
    if (end > size) return;
    if (note.n_type == NT_GNU_BUILD_ID && std::strncmp(at + name, "GNU", 4) == 0) {
      for (size_t i = 0; i < note.n_descsz; ++i) {
        const auto byte = static_cast<unsigned char>(at[content + i]);
        *id += kHex[byte >> 4];
        *id += kHex[byte & 15];
      }
      return;
    }
    at += end;
    size -= end;
  }
}

// The loaded file that this code is in.
int Visit(dl_phdr_info* info, size_t, void* result) {
  const auto self = reinterpret_cast<uintptr_t>(&BuildFingerprint);
  bool is_ours = false;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    const uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    is_ours =
        is_ours || (segment.p_type == PT_LOAD && self >= begin && self < begin + segment.p_memsz);
  }
  if (!is_ours) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    ReadNotes(reinterpret_cast<const char*>(info->dlpi_addr + segment.p_vaddr), segment.p_memsz,
              static_cast<std::string*>(result));
  }
  return 1;
}

}  // namespace

std::string Version() { return LOCKSTEP_VERSION; }

std::string BuildFingerprint() {
  std::string id;
  dl_iterate_phdr(Visit, &id);
  return id;
}

}  // namespace lockstep::base
