#include "distribute/workers/job_view.h"

#include <filesystem>
#include <sstream>
#include <utility>

#include "base/file.h"
#include "cluster/fields.h"

namespace lockstep::distribute {

namespace {

using cluster::FieldReader;
using cluster::FieldWriter;

constexpr std::string_view kContact = "watch.";

}  // namespace

std::string Encode(const TaskView& view) {
  FieldWriter writer;
  writer.PutText(view.task).PutText(base::Encode(view.metrics));
  writer.Put(static_cast<uint32_t>(view.epochs.size()));
  for (const EpochView& epoch : view.epochs) {
    writer.Put(epoch.number).PutText(epoch.reason).Put(int64_t{epoch.age.count()});
    writer.Put(static_cast<uint32_t>(epoch.tasks.size()));
    for (const std::string& task : epoch.tasks) writer.PutText(task);
  }
  return writer.Take();
}

Result<TaskView> DecodeTaskView(const std::string& text) {
  TaskView view;
  FieldReader reader(text);
  view.task = reader.TakeText();
  LOCKSTEP_ASSIGN_OR_RETURN(view.metrics, base::DecodeMetrics(reader.TakeView()));
  for (uint32_t left = reader.TakeCount(); left > 0 && reader.ok(); --left) {
    EpochView& epoch = view.epochs.emplace_back();
    epoch.number = reader.Take<uint64_t>();
    epoch.reason = reader.TakeText();
    epoch.age = base::Duration(reader.Take<int64_t>());
    for (uint32_t tasks = reader.TakeCount(); tasks > 0 && reader.ok(); --tasks)
      epoch.tasks.push_back(reader.TakeText());
  }
  if (!reader.done())
    return Status(Code::kDataLoss, "[watch] a task's view must be whole; got another text");
  return view;
}

namespace {

// One look at a job: the first task's list, then everybody's own view.
class Look : public std::enable_shared_from_this<Look> {
 public:
  Look(net::Rpc& rpc, base::Duration limit, OnJobView done)
      : rpc_(rpc), limit_(limit), done_(std::move(done)) {}

  void Begin(const std::string& address) {
    rpc_.Call(address, kWatchJob, "", limit_,
              [self = shared_from_this(), address](const Result<std::string>& text) {
                self->TakeHealth(address, text);
              });
  }

 private:
  void TakeHealth(const std::string& address, const Result<std::string>& text) {
    if (!text.ok()) return done_(text.status());
    FieldReader reader(*text);
    for (uint32_t left = reader.TakeCount(); left > 0 && reader.ok(); --left)
      view_.tasks.emplace_back().health = cluster::ReadTaskHealth(&reader);
    if (!reader.done())
      return done_(Status(Code::kDataLoss, "[watch] a list of tasks must be whole; got another"));
    missing_ = view_.tasks.size();
    if (missing_ == 0) return done_(view_);
    for (size_t i = 0; i < view_.tasks.size(); ++i) {
      const std::string& control = view_.tasks[i].health.peer.control;
      rpc_.Call(control, kWatchTask, "", limit_,
                [self = shared_from_this(), i, asked = control == address](
                    const Result<std::string>& own) { self->TakeView(i, asked, own); });
    }
  }
  void TakeView(size_t i, bool asked, const Result<std::string>& text) {
    JobView::Task& task = view_.tasks[i];
    if (auto view = text.ok() ? DecodeTaskView(*text) : Result<TaskView>(text.status());
        view.ok()) {
      task.view = std::move(*view);
      if (asked || view_.epochs.empty()) view_.epochs = task.view.epochs;
    } else {
      task.reached = view.status();
    }
    if (--missing_ == 0) done_(view_);
  }

  net::Rpc& rpc_;
  const base::Duration limit_;
  const OnJobView done_;
  JobView view_;
  size_t missing_ = 0;
};

}  // namespace

void ReadJob(net::Rpc& rpc, const std::string& address, base::Duration limit, OnJobView done) {
  std::make_shared<Look>(rpc, limit, std::move(done))->Begin(address);
}

Status NoteContact(const std::string& job_directory, const Contact& contact) {
  if (job_directory.empty()) return Status::Ok();
  base::FileSystem& files = base::LocalFiles();
  std::string name = contact.task;
  for (char& each : name) each = each == ' ' ? '-' : each;
  const std::string path = job_directory + "/" + std::string(kContact) + name;
  const std::string text = contact.task + "\n" + contact.address + "\n" + contact.token + "\n" +
                           contact.credentials + "\n" + std::to_string(contact.process) + "\n";
  LOCKSTEP_ASSIGN_OR_RETURN(auto file, files.Create(path + ".unfinished"));
  // It has the token.
  using std::filesystem::perms;
  std::error_code fault;
  std::filesystem::permissions(path + ".unfinished", perms::owner_read | perms::owner_write, fault);
  if (fault) return Status(Code::kPermissionDenied, "[job] " + path + ": " + fault.message());
  LOCKSTEP_RETURN_IF_ERROR(file->Append(std::as_bytes(std::span(text))));
  LOCKSTEP_RETURN_IF_ERROR(file->Close());
  return files.Rename(path + ".unfinished", path);
}

std::vector<Contact> ContactsIn(const std::string& job_directory) {
  std::vector<Contact> contacts;
  base::FileSystem& files = base::LocalFiles();
  const auto names = files.List(job_directory);
  if (!names.ok()) return contacts;
  for (const std::string& name : *names) {
    if (!name.starts_with(kContact) || name.ends_with(".unfinished")) continue;
    const auto text = base::ReadWholeFile(files, job_directory + "/" + name);
    if (!text.ok()) continue;
    std::istringstream lines(*text);
    Contact contact;
    std::getline(lines, contact.task);
    std::getline(lines, contact.address);
    std::getline(lines, contact.token);
    std::getline(lines, contact.credentials);
    lines >> contact.process;
    if (!contact.address.empty()) contacts.push_back(std::move(contact));
  }
  return contacts;
}

}  // namespace lockstep::distribute
