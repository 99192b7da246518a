#include <algorithm>

#include "cluster/address.h"
#include "cluster/resolvers.h"
#include "cluster/variables.h"

namespace lockstep::cluster {

namespace {

std::string FieldLine(const char* name, const char* annotation) {
  return std::string("- name: ") + name +
         "\n  valueFrom: {fieldRef: {fieldPath: \"metadata.annotations['" + annotation + "']\"}}\n";
}

// Of a Service or an object, in lower case.
bool IsKubernetesName(const std::string& name) {
  const auto inside = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '-' || c == '.';
  };
  const auto edge = [&](char c) { return inside(c) && c != '-' && c != '.'; };
  return !name.empty() && std::all_of(name.begin(), name.end(), inside) && edge(name.front()) &&
         edge(name.back());
}

// The name under `variable`, `otherwise` where there is none or no name.
std::string NameOr(Variables& variables, const char* variable, const std::string& otherwise,
                   const std::string& cure) {
  const auto name = variables.Text(variable);
  if (!name || IsKubernetesName(*name)) return name.value_or(otherwise);
  variables.Wrong(variable, "a name must be of lower-case letters, digits, '-' and '.'",
                  "'" + *name + "'", cure);
  return otherwise;
}

// What belongs under `env:` of the container.
std::string Manifest(bool job_set, int workers, bool subdomain) {
  std::string text = "- name: LOCKSTEP_WORKERS\n  value: \"" + std::to_string(workers) + "\"\n";
  if (subdomain) text += "- name: LOCKSTEP_SUBDOMAIN\n  value: NAME-OF-THE-HEADLESS-SERVICE\n";
  if (!job_set) return text + "# and in the pod's spec: subdomain: NAME-OF-A-HEADLESS-SERVICE";
  text += FieldLine("JOBSET_NAME", "jobset.sigs.k8s.io/jobset-name");
  text += FieldLine("JOBSET_REPLICATED_JOB", "jobset.sigs.k8s.io/replicatedjob-name");
  text += FieldLine("JOBSET_REPLICAS", "jobset.sigs.k8s.io/replicatedjob-replicas");
  text += FieldLine("JOBSET_JOB_INDEX", "jobset.sigs.k8s.io/job-index");
  text.pop_back();
  return text;
}

class KubernetesResolver final : public Resolver {
 public:
  const char* name() const override { return "Kubernetes"; }
  std::vector<std::string> variables() const override {
    return {"JOB_COMPLETION_INDEX", "JOBSET_*", "LOCKSTEP_WORKERS", "LOCKSTEP_SUBDOMAIN"};
  }
  // An indexed Job alone may be many programs that do not know of each other.
  bool Finds(const Environment& environment) const override {
    return Lookup(environment, "JOBSET_NAME") ||
           (Lookup(environment, "JOB_COMPLETION_INDEX") && Lookup(environment, "LOCKSTEP_WORKERS"));
  }
  std::optional<Mistake> Hint(const Environment& environment) const override {
    if (!Lookup(environment, "JOB_COMPLETION_INDEX")) return {};
    return Mistake{"JOB_COMPLETION_INDEX", "",
                   "for one training of all pods their number is needed",
                   "no LOCKSTEP_WORKERS: one process alone",
                   "under env: of the container\n"
                   "- {name: LOCKSTEP_WORKERS, value: \"NUMBER-OF-COMPLETIONS\"}"};
  }

  Resolution Resolve(const Environment& environment) const override {
    Resolution resolution;
    Variables variables(environment, resolution);
    const bool job_set = variables.Has("JOBSET_NAME");
    const int pod = variables.Meant("JOB_COMPLETION_INDEX", 0, kMostTasks - 1).value_or(0);
    const int jobs = !job_set ? 1 : variables.Meant("JOBSET_REPLICAS", 1, 1000).value_or(1);
    const int size = variables.Size("LOCKSTEP_WORKERS", "number of all pods",
                                    "JOB_COMPLETION_INDEX", std::min(jobs * (pod + 1), kMostTasks));
    const int index =
        variables.Number("JOB_COMPLETION_INDEX", "index of this pod", 0, kMostTasks, 0);
    Description description;
    if (job_set) {
      description = JobSet(variables, size, index);
    } else {
      description = Job(variables, size, index);
    }
    if (!resolution.mistakes.empty()) {
      const auto subdomain = variables.Text("LOCKSTEP_SUBDOMAIN");
      resolution.corrected = Manifest(job_set, size, subdomain && !IsKubernetesName(*subdomain));
    }
    variables.Finish(description);
    return resolution;
  }

 private:
  // Pods are called JOB-INDEX.SUBDOMAIN.
  static Description Job(Variables& variables, int size, int index) {
    if (index >= size) {
      variables.Wrong("JOB_COMPLETION_INDEX", "it must be below LOCKSTEP_WORKERS",
                      std::to_string(index) + " of " + std::to_string(size),
                      "let LOCKSTEP_WORKERS be the Job's completions");
      index = size - 1;
    }
    Description description = DescribeWorkers(size, index);
    // What the index is not known for cannot be compared.
    if (!ReadNumber(variables.Text("JOB_COMPLETION_INDEX").value_or(""), 0, kMostTasks)) {
      return description;
    }
    const std::string own = variables.Text("HOSTNAME").value_or("");
    const std::string ending = "-" + std::to_string(index);
    if (!own.ends_with(ending) || own.size() == ending.size()) {
      variables.Wrong("HOSTNAME", "an indexed pod must be called JOB" + ending, "'" + own + "'",
                      "let the Job have completionMode: Indexed, and leave hostname to it");
      return description;
    }
    const std::string job = own.substr(0, own.size() - ending.size());
    const std::string subdomain =
        NameOr(variables, "LOCKSTEP_SUBDOMAIN", job, "write the headless Service's name alone");
    Name(description, job, subdomain, size);
    variables.Note("name of the Job", job, "HOSTNAME");
    return description;
  }

  // Pods are called JOBSET-REPLICATEDJOB-JOB-POD.JOBSET, and ranks go by job, then by pod.
  static Description JobSet(Variables& variables, int size, int index) {
    const char* const kCure = "set it from the pod's annotation";
    const std::string set = NameOr(variables, "JOBSET_NAME", "jobset", kCure);
    // Both, or none where there is one job.
    const bool several = variables.Has("JOBSET_REPLICAS") || variables.Has("JOBSET_JOB_INDEX");
    int job = variables.Meant("JOBSET_JOB_INDEX", 0, kMostTasks - 1).value_or(0);
    const int jobs =
        several ? variables.Size("JOBSET_REPLICAS", "number of jobs", "JOBSET_JOB_INDEX") : 1;
    if (jobs > 1 || variables.Has("JOBSET_JOB_INDEX")) {
      job = variables.Number("JOBSET_JOB_INDEX", "index of the job", 0, kMostTasks, 0);
    }
    const auto name = variables.Text("JOBSET_REPLICATED_JOB");
    if (!name) {
      variables.Wrong("JOBSET_REPLICATED_JOB", "it must say the replicated job's name", "nothing",
                      kCure);
    }
    const std::string replicated = NameOr(variables, "JOBSET_REPLICATED_JOB", "", kCure);
    if (job >= jobs) {
      variables.Wrong("JOBSET_JOB_INDEX", "it must be below JOBSET_REPLICAS",
                      std::to_string(job) + " of " + std::to_string(jobs),
                      "set both from the pod's annotations");
      job = jobs - 1;
    }
    if (size % jobs != 0) {
      variables.Wrong("LOCKSTEP_WORKERS", "it must be a multiple of JOBSET_REPLICAS",
                      std::to_string(size) + " and " + std::to_string(jobs),
                      "let it be the pods of all jobs together");
    }
    const int pods = std::max(1, size / jobs);
    if (index >= pods) {
      variables.Wrong("JOB_COMPLETION_INDEX", "it must be below the number of pods of a job",
                      std::to_string(index) + " of " + std::to_string(pods),
                      "let LOCKSTEP_WORKERS be the pods of all jobs together");
      index = pods - 1;
    }
    Description description = DescribeWorkers(size, std::min(job * pods + index, size - 1));
    for (int i = 0; i < jobs && size % jobs == 0; ++i) {
      const std::string prefix = set + "-" + replicated + "-" + std::to_string(i);
      Name(description, prefix, set, pods, i * pods);
    }
    variables.Note("name of the JobSet", set, "JOBSET_NAME");
    return description;
  }

  // Every pod has an address of its own, so one port does for all.
  static void Name(Description& description, const std::string& prefix,
                   const std::string& subdomain, int count, int first = 0) {
    for (int i = 0; i < count; ++i) {
      const std::string host = prefix + "-" + std::to_string(i) + "." + subdomain;
      description.cluster.set_task_address("worker", first + i,
                                           Address{host, kUsualPort}.ToString());
    }
  }
};

}  // namespace

std::unique_ptr<Resolver> MakeKubernetesResolver() {
  return std::make_unique<KubernetesResolver>();
}

}  // namespace lockstep::cluster
