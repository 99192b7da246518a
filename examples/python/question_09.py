import lockstep as tf
import threading

def create_async_graph():
  x = tf.Variable(1.0, dtype=tf.float32)
  y = tf.Variable(2.0, dtype=tf.float32)


  # Update operation
  x_update_op = x.assign_add(0.5)


  # gradient computation 1

  with tf.control_dependencies([x_update_op]):
    grad1 = tf.gradients(tf.square(x) + tf.square(y), x)[0]


  # gradient computation 2

  with tf.control_dependencies([x_update_op]):
        grad2 = tf.gradients(tf.math.multiply(x,y),x)[0]


  return x, y, grad1, grad2

def execute_op_async(sess, x_val, y_val,grad1,grad2, results):
   grad_result1,grad_result2 = sess.run([grad1,grad2])
   results.append((grad_result1,grad_result2))

def simulate_async_gradient():
  x_var,y_var, grad_1, grad_2 = create_async_graph()
  results = []
  threads = []


  with tf.compat.v1.Session() as sess:
    sess.run(tf.compat.v1.global_variables_initializer())
    for _ in range(5):
       thread = threading.Thread(target=execute_op_async, args=(sess, x_var, y_var,grad_1,grad_2,results))
       threads.append(thread)
       thread.start()

    for thread in threads:
       thread.join()


  for grads in results:
      print (f"Gradient Results = {grads}")


simulate_async_gradient()
