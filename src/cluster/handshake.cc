#include "cluster/handshake.h"

#include "base/build.h"

namespace lockstep::cluster {
namespace {

std::string Shown(const std::string& value) { return value.empty() ? "none" : value; }

}  // namespace

Hello LocalHello() {
  Hello hello;
  hello.version = base::Version();
  hello.build = base::BuildFingerprint();
  return hello;
}

Status CompareHellos(const Hello& job, const Hello& task, const std::string& name_of_task) {
  std::string differences, cures;
  const auto compare = [&](const char* what, const std::string& ours, const std::string& theirs,
                           const char* cure) {
    if (ours == theirs) return;
    differences += std::string(differences.empty() ? "" : ", ") + what + " " + Shown(theirs) +
                   " where the job has " + Shown(ours);
    cures += std::string(cures.empty() ? "" : "; ") + cure;
  };
  compare("version", job.version, task.version, "install one version everywhere");
  compare("build", job.build, task.build, "copy the same liblockstep.so to every machine");
  compare("isa", job.isa, task.isa, "give every task the same --isa");
  compare("program", job.program, task.program, "start the same program with the same options");
  compare("replicas", std::to_string(job.replicas), std::to_string(task.replicas),
          "give every task the same --replicas");
  compare("tasks", std::to_string(job.tasks), std::to_string(task.tasks),
          "give every task the same cluster description");
  if (differences.empty()) return Status::Ok();
  return Status(Code::kFailedPrecondition, "[handshake] all tasks must be alike; got " +
                                               differences + " (" + name_of_task + "); " + cures);
}

void Write(const Hello& hello, FieldWriter* writer) {
  writer->PutText(hello.version).PutText(hello.build).PutText(hello.isa).PutText(hello.program);
  writer->Put(hello.replicas).Put(hello.tasks);
}

Hello ReadHello(FieldReader* reader) {
  Hello hello;
  hello.version = reader->TakeText();
  hello.build = reader->TakeText();
  hello.isa = reader->TakeText();
  hello.program = reader->TakeText();
  hello.replicas = reader->Take<int32_t>();
  hello.tasks = reader->Take<int32_t>();
  return hello;
}

}  // namespace lockstep::cluster
