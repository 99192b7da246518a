import lockstep as tf

def create_race_condition_graph():
  x = tf.Variable(1.0, dtype=tf.float32)
  y = tf.Variable(2.0, dtype=tf.float32)

  # Operation that updates x
  x_update_op = x.assign_add(0.5)

  # Gradient computation with control dependency on x update
  with tf.control_dependencies([x_update_op]):
      loss_grad_wrt_x = tf.gradients(tf.square(x) + tf.square(y), x)[0]


  # Additional gradient computation using a different computation pathway but also dependent on x's updated value
  with tf.control_dependencies([x_update_op]):
      other_grad_wrt_x= tf.gradients(tf.math.multiply(x,y),x)[0]

  # Optimizer application (not shown for clarity, we are only interested in the inconsistent gradients)

  return x, y, loss_grad_wrt_x,other_grad_wrt_x

# Simulate multiple iterations
for i in range(5):
    x_var,y_var, grad_loss, grad_other = create_race_condition_graph()
    with tf.compat.v1.Session() as sess:
      sess.run(tf.compat.v1.global_variables_initializer())
      grad1,grad2 = sess.run([grad_loss,grad_other])
      print(f"Iteration {i}: Loss Grad={grad1}, Other Grad={grad2}")
