#include "nn/callbacks/writable.h"

#include "base/file.h"
#include "checkpoint/write_files.h"
#include "distribute/workers/communicator.h"
#include "lockstep/distribute/strategy.h"

namespace lockstep::callbacks {

void RequireWritableByItsWriter(Model& model, const std::string& directory) {
  const distribute::Communicator* ranks = model.strategy().ranks();
  if (ranks != nullptr && ranks->rank() != ranks->roles().chief()) return;
  checkpoint::RequireWritable(base::LocalFiles(), directory).OrThrow();
}

}  // namespace lockstep::callbacks
