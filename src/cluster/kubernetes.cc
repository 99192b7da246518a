#include "cluster/address.h"
#include "cluster/resolvers.h"
#include "cluster/variables.h"

namespace lockstep::cluster {

namespace {

std::string FieldLine(const char* name, const char* annotation) {
  return std::string("- name: ") + name +
         "\n  valueFrom: {fieldRef: {fieldPath: \"metadata.annotations['" + annotation + "']\"}}\n";
}

// What belongs under `env:` of the container.
std::string Manifest(bool job_set, int workers) {
  std::string text = "- name: LOCKSTEP_WORKERS\n  value: \"" + std::to_string(workers) + "\"\n";
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

  Resolution Resolve(const Environment& environment) const override {
    Resolution resolution;
    Variables variables(environment, resolution);
    const bool job_set = variables.Has("JOBSET_NAME");
    const int size = variables.Number("LOCKSTEP_WORKERS", "number of all pods", 1, kMostTasks, 1);
    const int index =
        variables.Number("JOB_COMPLETION_INDEX", "index of this pod", 0, kMostTasks, 0);
    Description description;
    if (job_set) {
      description = JobSet(variables, size, index);
    } else {
      description = Job(variables, size, index);
    }
    if (!resolution.mistakes.empty()) resolution.corrected = Manifest(job_set, size);
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
    const std::string own = variables.Text("HOSTNAME").value_or("");
    const std::string ending = "-" + std::to_string(index);
    if (!own.ends_with(ending) || own.size() == ending.size()) {
      variables.Wrong("HOSTNAME", "an indexed pod must be called JOB" + ending, "'" + own + "'",
                      "let the Job have completionMode: Indexed, and leave hostname to it");
      return description;
    }
    const std::string job = own.substr(0, own.size() - ending.size());
    Name(description, job, variables.Text("LOCKSTEP_SUBDOMAIN").value_or(job), size);
    variables.Note("name of the Job", job, "HOSTNAME");
    return description;
  }

  // Pods are called JOBSET-REPLICATEDJOB-JOB-POD.JOBSET, and ranks go by job, then by pod.
  static Description JobSet(Variables& variables, int size, int index) {
    const std::string set = *variables.Text("JOBSET_NAME");
    const int jobs = variables.NumberOr("JOBSET_REPLICAS", "number of jobs", 1, kMostTasks, 1);
    int job = variables.NumberOr("JOBSET_JOB_INDEX", "index of the job", 0, kMostTasks, 0);
    const auto name = variables.Text("JOBSET_REPLICATED_JOB");
    if (!name) {
      variables.Wrong("JOBSET_REPLICATED_JOB", "it must say the replicated job's name", "nothing",
                      "set it from the pod's annotation");
    }
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
      const std::string prefix = set + "-" + name.value_or("") + "-" + std::to_string(i);
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
