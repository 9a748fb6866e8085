plumbline ir 1
name "two stages, two microbatches"

rank 0 {
  pool outputs declared 2
  pool gradients declared 1
  %f0 = forward s0 m0 write outputs[0]:output
  send_activation s0 m0 to 1 read outputs[0]:output wait %f0
  %f1 = forward s0 m1 write outputs[1]:output
  send_activation s0 m1 to 1 read outputs[1]:output wait %f1
  %g0 = receive_gradient s0 m0 from 1 write gradients[0]:output_gradient
  %b0 = backward s0 m0 read outputs[0]:output, gradients[0]:output_gradient wait %g0
  ; One slot for both gradients, so the second receive waits until the first gradient has been used.
  %g1 = receive_gradient s0 m1 from 1 write gradients[0]:output_gradient wait %b0
  backward s0 m1 read outputs[1]:output, gradients[0]:output_gradient wait %g1
  optimizer_step
}

rank 1 {
  pool inputs declared 2
  %a0 = receive_activation s1 m0 from 0 write inputs[0]:input
  %a1 = receive_activation s1 m1 from 0 write inputs[1]:input
  forward s1 m0 read inputs[0]:input wait %a0
  %b0 = backward s1 m0 read inputs[0]:input write inputs[0]:input_gradient
  send_gradient s1 m0 to 0 read inputs[0]:input_gradient wait %b0
  forward s1 m1 read inputs[1]:input wait %a1
  %b1 = backward s1 m1 read inputs[1]:input write inputs[1]:input_gradient
  send_gradient s1 m1 to 0 read inputs[1]:input_gradient wait %b1
  optimizer_step
}
