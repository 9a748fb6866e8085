plumbline ir 1
name "field/ds2800.txt"
mode training
execution blocking
waits_for_groups
stages 3
microbatches 3
file 0 "field/ds2800.txt"
communicator pipeline
stage 0 on rank 0
stage 1 on rank 1
stage 2 on rank 2

rank 0 {
  pool inputs declared 3 declaration 0
  pool outputs declared 3 declaration 0
  pool grad_layer declared 1 declaration 1
  %load_microbatch.s0.m0 = load_microbatch s0 m0 write inputs[0]:input at 0:2:2
  %forward.s0.m0 = forward s0 m0 read inputs[0]:input write outputs[0]:output wait %load_microbatch.s0.m0 at 0:2:31
  send_activation s0 m0 to 1 via pipeline read outputs[0]:output wait %forward.s0.m0 at 0:3:2
  %load_microbatch.s0.m1 = load_microbatch s0 m1 write inputs[1]:input at 0:4:2
  %forward.s0.m1 = forward s0 m1 read inputs[1]:input write outputs[1]:output wait %load_microbatch.s0.m1 at 0:4:31
  send_activation s0 m1 to 1 via pipeline read outputs[1]:output wait %forward.s0.m1 at 0:5:2
  %load_microbatch.s0.m2 = load_microbatch s0 m2 write inputs[2]:input at 0:6:2
  %forward.s0.m2 = forward s0 m2 read inputs[2]:input write outputs[2]:output wait %load_microbatch.s0.m2 at 0:6:31
  send_activation s0 m2 to 1 via pipeline read outputs[2]:output wait %forward.s0.m2 at 0:7:2
  %receive_gradient.s0.m0 = receive_gradient s0 m0 from 1 via pipeline write grad_layer[0]:output_gradient wait %forward.s0.m2 at 0:7:31
  %backward.s0.m0 = backward s0 m0 read inputs[0]:input, outputs[0]:output, grad_layer[0]:output_gradient wait %receive_gradient.s0.m0 at 0:7:54
  %receive_gradient.s0.m1 = receive_gradient s0 m1 from 1 via pipeline write grad_layer[0]:output_gradient wait %backward.s0.m0 at 0:9:2
  %backward.s0.m1 = backward s0 m1 read inputs[1]:input, outputs[1]:output, grad_layer[0]:output_gradient wait %receive_gradient.s0.m1 at 0:9:25
  %receive_gradient.s0.m2 = receive_gradient s0 m2 from 1 via pipeline write grad_layer[0]:output_gradient wait %backward.s0.m1 at 0:11:2
  backward s0 m2 read inputs[2]:input, outputs[2]:output, grad_layer[0]:output_gradient wait %receive_gradient.s0.m2 at 0:11:25
  reduce_tied_gradients s0 at 0:11:52
  reduce_gradients s0 at 0:11:71
  optimizer_step s0 at 0:11:86
}

rank 1 {
  pool inputs declared 2 declaration 0
  pool outputs declared 2 declaration 0
  pool grad_layer declared 1 declaration 1
  %receive_activation.s1.m0 = receive_activation s1 m0 from 0 via pipeline write inputs[0]:input at 0:14:2
  %forward.s1.m0 = forward s1 m0 read inputs[0]:input write outputs[0]:output wait %receive_activation.s1.m0 at 0:14:31
  send_activation s1 m0 to 2 via pipeline read outputs[0]:output wait %forward.s1.m0 at 0:15:2
  %receive_activation.s1.m1 = receive_activation s1 m1 from 0 via pipeline write inputs[1]:input wait %forward.s1.m0 at 0:16:2
  %forward.s1.m1 = forward s1 m1 read inputs[1]:input write outputs[1]:output wait %receive_activation.s1.m1 at 0:16:31
  send_activation s1 m1 to 2 via pipeline read outputs[1]:output wait %forward.s1.m1 at 0:17:2
  %receive_gradient.s1.m0 = receive_gradient s1 m0 from 2 via pipeline write grad_layer[0]:output_gradient wait %forward.s1.m1 at 0:17:31
  %backward.s1.m0 = backward s1 m0 read inputs[0]:input, outputs[0]:output, grad_layer[0]:output_gradient write inputs[0]:input_gradient wait %receive_gradient.s1.m0 at 0:17:54
  %receive_activation.s1.m2 = receive_activation s1 m2 from 0 via pipeline write inputs[0]:input wait %backward.s1.m0 at 0:18:2
  send_gradient s1 m0 to 0 via pipeline read inputs[0]:input_gradient wait %backward.s1.m0 at 0:18:31
  %forward.s1.m2 = forward s1 m2 read inputs[0]:input write outputs[0]:output wait %receive_activation.s1.m2 at 0:18:54
  send_activation s1 m2 to 2 via pipeline read outputs[0]:output wait %forward.s1.m2 at 0:19:2
  %receive_gradient.s1.m1 = receive_gradient s1 m1 from 2 via pipeline write grad_layer[0]:output_gradient wait %forward.s1.m2 at 0:19:31
  %backward.s1.m1 = backward s1 m1 read inputs[1]:input, outputs[1]:output, grad_layer[0]:output_gradient write inputs[1]:input_gradient wait %receive_gradient.s1.m1 at 0:19:54
  send_gradient s1 m1 to 0 via pipeline read inputs[1]:input_gradient wait %backward.s1.m1 at 0:20:2
  %receive_gradient.s1.m2 = receive_gradient s1 m2 from 2 via pipeline write grad_layer[0]:output_gradient wait %backward.s1.m1 at 0:21:2
  %backward.s1.m2 = backward s1 m2 read inputs[0]:input, outputs[0]:output, grad_layer[0]:output_gradient write inputs[0]:input_gradient wait %receive_gradient.s1.m2 at 0:21:25
  send_gradient s1 m2 to 0 via pipeline read inputs[0]:input_gradient wait %backward.s1.m2 at 0:22:2
  reduce_tied_gradients s1 at 0:22:25
  reduce_gradients s1 at 0:22:44
  optimizer_step s1 at 0:22:59
}

rank 2 {
  pool inputs declared 2 declaration 0
  pool outputs declared 2 declaration 0
  pool labels declared 2 declaration 0
  %receive_activation.s2.m0 = receive_activation s2 m0 from 1 via pipeline write inputs[0]:input at 0:26:2
  load_microbatch s2 m0 write labels[0]:labels at 0:26:31
  forward s2 m0 read inputs[0]:input, labels[0]:labels write outputs[0]:output wait %receive_activation.s2.m0 at 0:26:60
  %backward.s2.m0 = backward s2 m0 read inputs[0]:input, outputs[0]:output write inputs[0]:input_gradient at 0:27:2
  %receive_activation.s2.m1 = receive_activation s2 m1 from 1 via pipeline write inputs[1]:input wait %backward.s2.m0 at 0:28:2
  send_gradient s2 m0 to 1 via pipeline read inputs[0]:input_gradient wait %backward.s2.m0 at 0:28:31
  load_microbatch s2 m1 write labels[1]:labels at 0:28:54
  forward s2 m1 read inputs[1]:input, labels[1]:labels write outputs[1]:output wait %receive_activation.s2.m1 at 0:28:83
  %backward.s2.m1 = backward s2 m1 read inputs[1]:input, outputs[1]:output write inputs[1]:input_gradient at 0:29:2
  %receive_activation.s2.m2 = receive_activation s2 m2 from 1 via pipeline write inputs[0]:input wait %backward.s2.m1 at 0:30:2
  send_gradient s2 m1 to 1 via pipeline read inputs[1]:input_gradient wait %backward.s2.m1 at 0:30:31
  load_microbatch s2 m2 write labels[0]:labels at 0:30:54
  forward s2 m2 read inputs[0]:input, labels[0]:labels write outputs[0]:output wait %receive_activation.s2.m2 at 0:30:83
  %backward.s2.m2 = backward s2 m2 read inputs[0]:input, outputs[0]:output write inputs[0]:input_gradient at 0:31:2
  send_gradient s2 m2 to 1 via pipeline read inputs[0]:input_gradient wait %backward.s2.m2 at 0:32:2
  reduce_tied_gradients s2 at 0:33:2
  reduce_gradients s2 at 0:33:21
  optimizer_step s2 at 0:33:36
}
