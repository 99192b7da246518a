import lockstep as tf
import threading

# Shared variable for illustration
shared_variable = tf.Variable(0.0)

def worker_task():
    local_value = shared_variable.value()
    local_value += 1.0
    shared_variable.assign(local_value)


threads = []
for i in range(5):
    t = threading.Thread(target=worker_task)
    threads.append(t)
    t.start()

for t in threads:
    t.join()

print(shared_variable.numpy()) # Expected value is 5.0, but will often not be 5 due to race conditions
