import lockstep as tf

def create_parallel_race_graph():
  x = tf.Variable(1.0, dtype=tf.float32)

  # Update operation
  x_update_op = x.assign_add(0.5)

  # Gradient computations
  with tf.control_dependencies([x_update_op]):
    grad_1 = tf.gradients(tf.square(x), x)[0]

  with tf.control_dependencies([x_update_op]):
    grad_2 = tf.gradients(tf.square(x), x)[0]

  # Parallelize with tf.group (note that this doesn't *guarantee* parallel execution but highly likely)
  parallel_group = tf.group(grad_1, grad_2)
  return x,parallel_group

# Execute the parallel operations several times:
for i in range(5):
    x_var, group_op = create_parallel_race_graph()

    with tf.compat.v1.Session() as sess:
      sess.run(tf.compat.v1.global_variables_initializer())
      grad_results= sess.run(group_op)

    x_value = sess.run(x_var)
    print(f"Iteration {i}:  Updated x: {x_value}, Gradients = {grad_results}" )
