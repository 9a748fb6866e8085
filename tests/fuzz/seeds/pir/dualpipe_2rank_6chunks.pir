plumbline ir 1
name "dualpipe/dualpipe_2rank_6chunks.json"
mode training
execution streams
waits_for_groups
replicas 2
stages 2
microbatches 3
file 0 "dualpipe/dualpipe_2rank_6chunks.json"
communicator pipeline
stage 0 on rank 0
stage 1 on rank 1
stage 2 on rank 1
stage 3 on rank 0

rank 0 {
  pool inputs
  pool outputs
  pool output_gradients
  pool input_gradients
  %forward.s0.m0 = forward s0 m0 write outputs[0]:output at 0:4:1
  group {
    send_activation s0 m0 to 1 via pipeline read outputs[0]:output wait %forward.s0.m0 at 0:5:23
    %receive_activation.s3.m0 = receive_activation s3 m0 from 1 via pipeline write inputs[0]:input at 0:5:63
  }
  forward s3 m0 read inputs[0]:input write outputs[1]:output wait %receive_activation.s3.m0 at 0:6:1
  %forward.s0.m1 = forward s0 m1 write outputs[2]:output at 0:7:1
  %backward.s3.m0 = backward s3 m0 read inputs[0]:input, outputs[1]:output write input_gradients[0]:input_gradient at 0:8:1
  group {
    send_activation s0 m1 to 1 via pipeline read outputs[2]:output wait %forward.s0.m1 at 0:9:23
    send_gradient s3 m0 to 1 via pipeline read input_gradients[0]:input_gradient wait %backward.s3.m0 at 0:9:63
    %receive_activation.s3.m1 = receive_activation s3 m1 from 1 via pipeline write inputs[1]:input at 0:9:103
    %receive_gradient.s0.m0 = receive_gradient s0 m0 from 1 via pipeline write output_gradients[0]:output_gradient at 0:9:143
  }
  group {
    forward s3 m1 read inputs[1]:input write outputs[3]:output wait %receive_activation.s3.m1 at 0:10:16
    backward s0 m0 read outputs[0]:output, output_gradients[0]:output_gradient wait %receive_gradient.s0.m0 at 0:10:37
  }
  group {
    %forward.s0.m2 = forward s0 m2 write outputs[4]:output at 0:11:16
    %backward.s3.m1 = backward s3 m1 read inputs[1]:input, outputs[3]:output write input_gradients[1]:input_gradient at 0:11:37
  }
  group {
    send_activation s0 m2 to 1 via pipeline read outputs[4]:output wait %forward.s0.m2 at 0:12:23
    send_gradient s3 m1 to 1 via pipeline read input_gradients[1]:input_gradient wait %backward.s3.m1 at 0:12:63
    %receive_activation.s3.m2 = receive_activation s3 m2 from 1 via pipeline write inputs[2]:input at 0:12:103
    %receive_gradient.s0.m1 = receive_gradient s0 m1 from 1 via pipeline write output_gradients[1]:output_gradient at 0:12:143
  }
  group {
    forward s3 m2 read inputs[2]:input write outputs[5]:output wait %receive_activation.s3.m2 at 0:13:16
    backward s0 m1 read outputs[2]:output, output_gradients[1]:output_gradient wait %receive_gradient.s0.m1 at 0:13:37
  }
  %backward.s3.m2 = backward s3 m2 read inputs[2]:input, outputs[5]:output write input_gradients[2]:input_gradient at 0:14:1
  group {
    send_gradient s3 m2 to 1 via pipeline read input_gradients[2]:input_gradient wait %backward.s3.m2 at 0:15:23
    %receive_gradient.s0.m2 = receive_gradient s0 m2 from 1 via pipeline write output_gradients[2]:output_gradient at 0:15:63
  }
  backward_input s0 m2 read outputs[4]:output, output_gradients[2]:output_gradient wait %receive_gradient.s0.m2 at 0:16:1
  backward_weight s0 m2 read output_gradients[2]:output_gradient at 0:17:1
}

rank 1 {
  pool inputs
  pool outputs
  pool output_gradients
  pool input_gradients
  %forward.s2.m0 = forward s2 m0 write outputs[0]:output at 0:20:1
  group {
    send_activation s2 m0 to 0 via pipeline read outputs[0]:output wait %forward.s2.m0 at 0:21:23
    %receive_activation.s1.m0 = receive_activation s1 m0 from 0 via pipeline write inputs[0]:input at 0:21:63
  }
  forward s1 m0 read inputs[0]:input write outputs[1]:output wait %receive_activation.s1.m0 at 0:22:1
  %forward.s2.m1 = forward s2 m1 write outputs[2]:output at 0:23:1
  %backward.s1.m0 = backward s1 m0 read inputs[0]:input, outputs[1]:output write input_gradients[0]:input_gradient at 0:24:1
  group {
    send_activation s2 m1 to 0 via pipeline read outputs[2]:output wait %forward.s2.m1 at 0:25:23
    send_gradient s1 m0 to 0 via pipeline read input_gradients[0]:input_gradient wait %backward.s1.m0 at 0:25:63
    %receive_activation.s1.m1 = receive_activation s1 m1 from 0 via pipeline write inputs[1]:input at 0:25:103
    %receive_gradient.s2.m0 = receive_gradient s2 m0 from 0 via pipeline write output_gradients[0]:output_gradient at 0:25:143
  }
  group {
    forward s1 m1 read inputs[1]:input write outputs[3]:output wait %receive_activation.s1.m1 at 0:26:16
    backward s2 m0 read outputs[0]:output, output_gradients[0]:output_gradient wait %receive_gradient.s2.m0 at 0:26:37
  }
  group {
    %forward.s2.m2 = forward s2 m2 write outputs[4]:output at 0:27:16
    %backward.s1.m1 = backward s1 m1 read inputs[1]:input, outputs[3]:output write input_gradients[1]:input_gradient at 0:27:37
  }
  group {
    send_activation s2 m2 to 0 via pipeline read outputs[4]:output wait %forward.s2.m2 at 0:28:23
    send_gradient s1 m1 to 0 via pipeline read input_gradients[1]:input_gradient wait %backward.s1.m1 at 0:28:63
    %receive_activation.s1.m2 = receive_activation s1 m2 from 0 via pipeline write inputs[2]:input at 0:28:103
    %receive_gradient.s2.m1 = receive_gradient s2 m1 from 0 via pipeline write output_gradients[1]:output_gradient at 0:28:143
  }
  group {
    forward s1 m2 read inputs[2]:input write outputs[5]:output wait %receive_activation.s1.m2 at 0:29:16
    backward s2 m1 read outputs[2]:output, output_gradients[1]:output_gradient wait %receive_gradient.s2.m1 at 0:29:37
  }
  %backward.s1.m2 = backward s1 m2 read inputs[2]:input, outputs[5]:output write input_gradients[2]:input_gradient at 0:30:1
  group {
    send_gradient s1 m2 to 0 via pipeline read input_gradients[2]:input_gradient wait %backward.s1.m2 at 0:31:23
    %receive_gradient.s2.m2 = receive_gradient s2 m2 from 0 via pipeline write output_gradients[2]:output_gradient at 0:31:63
  }
  backward_input s2 m2 read outputs[4]:output, output_gradients[2]:output_gradient wait %receive_gradient.s2.m2 at 0:32:1
  backward_weight s2 m2 read output_gradients[2]:output_gradient at 0:33:1
}
