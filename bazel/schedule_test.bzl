"""`bazel test` on pipeline schedules: schedule_test and verified_schedule. docs/bazel.md shows how to use them."""

load(":schedule_arguments.bzl", "SIZES", "SWITCHES", "check_arguments", "is_label", "verify_options")

VerifiedScheduleInfo = provider(
    doc = "A schedule that was verified when it was built.",
    fields = {
        "program": "File: the lowered program, as .pir",
        "report": "File: the verdict, as one JSON object (docs/report.md)",
    },
)

def _quoted(argument):
    return "'" + argument.replace("'", "'\\''") + "'"

def _word(path):
    """The path as a word that stands for the file, and is no option, whatever the file is called."""
    return "./" + path if path[0] in "-@" else path

def _schedule_test_impl(ctx):
    launcher = ctx.actions.declare_file(ctx.label.name + ".sh")
    plumbline = ctx.executable._plumbline
    inputs = [ctx.file.schedule] + ctx.files.batches
    command = [plumbline.short_path, "verify"] + ctx.attr.arguments
    if ctx.file.batches:
        command += ["--batches", _word(ctx.file.batches.short_path)]
    command.append(_word(ctx.file.schedule.short_path))

    # A test starts in the folder of its workspace, where short paths lead to its inputs. Bazel names the file for the
    # results of single cases; outside of Bazel there is none.
    ctx.actions.write(launcher, "\n".join([
        "#!/bin/sh",
        # Of --test_arg. Taken for options it would change the verdict behind the back of the BUILD file.
        "[ $# -eq 0 ] || { echo 'a schedule_test takes no arguments; say it in its attributes' >&2; exit 2; }",
        "exec " + " ".join([_quoted(word) for word in command]) + " ${XML_OUTPUT_FILE:+--junit \"$XML_OUTPUT_FILE\"}",
        "",
    ]), is_executable = True)
    runfiles = ctx.runfiles(files = inputs).merge(ctx.attr._plumbline[DefaultInfo].default_runfiles)
    return [DefaultInfo(executable = launcher, runfiles = runfiles.merge(ctx.runfiles(files = [plumbline])))]

# The host configuration is optimised whatever the user builds with, and is the one that actions use too.
_PLUMBLINE = attr.label(default = Label("//verifier/cli:plumbline"), executable = True, cfg = "exec")

_schedule_test = rule(
    implementation = _schedule_test_impl,
    test = True,
    attrs = {
        "schedule": attr.label(allow_single_file = True, mandatory = True),
        "batches": attr.label(allow_single_file = True),
        "arguments": attr.string_list(doc = "Options of plumbline verify."),
        "_plumbline": _PLUMBLINE,
    },
)

def _generated_schedule_impl(ctx):
    generator = ctx.executable.generator or ctx.executable._plumbline
    output = ctx.actions.declare_file(ctx.label.name + ".pir")
    arguments = ctx.actions.args()
    if ctx.attr.family:
        arguments.add_all(["gen", ctx.attr.family])
    arguments.add_all(ctx.attr.arguments)
    arguments.add("-o", output)
    ctx.actions.run(
        executable = generator,
        arguments = [arguments],
        outputs = [output],
        mnemonic = "GenerateSchedule",
        progress_message = "Generating schedule %s" % ctx.label,
    )
    return [DefaultInfo(files = depset([output]))]

_generated_schedule = rule(
    implementation = _generated_schedule_impl,
    attrs = {
        "family": attr.string(doc = "A schedule of the library; empty with a generator of the user's."),
        "generator": attr.label(executable = True, cfg = "exec"),
        "arguments": attr.string_list(),
        "_plumbline": _PLUMBLINE,
    },
)

# Both or nothing: a program is published only with its proof. What is wrong goes to the build's log as text.
_VERIFY = """
plumbline=$1 program=$2 report=$3 schedule=$4
shift 4
"$plumbline" verify --format json -o "$report" "$@" "$schedule" || {
  "$plumbline" verify "$@" "$schedule" >&2
  exit 1
}
"""

def _verified_schedule_impl(ctx):
    program = ctx.actions.declare_file(ctx.label.name + ".pir")
    report = ctx.actions.declare_file(ctx.label.name + ".json")
    lowering = ["--batches=" + ctx.file.batches.path] if ctx.file.batches else []
    lowering += [word for word in ctx.attr.arguments if word.startswith("--from=") or word.startswith("--comms=")]
    ctx.actions.run_shell(
        command = _VERIFY + "\"$plumbline\" lower -o \"$program\" %s \"$schedule\"" %
                            " ".join([_quoted(word) for word in lowering]),
        arguments = [ctx.executable._plumbline.path, program.path, report.path, _word(ctx.file.schedule.path)] +
                    ctx.attr.arguments + (["--batches=" + ctx.file.batches.path] if ctx.file.batches else []),
        inputs = [ctx.file.schedule] + ctx.files.batches,
        tools = [ctx.attr._plumbline[DefaultInfo].files_to_run],
        outputs = [program, report],
        mnemonic = "VerifySchedule",
        progress_message = "Verifying schedule %s" % ctx.label,
    )
    return [
        DefaultInfo(files = depset([program])),
        OutputGroupInfo(report = depset([report])),
        VerifiedScheduleInfo(program = program, report = report),
    ]

_verified_schedule = rule(
    implementation = _verified_schedule_impl,
    attrs = {
        "schedule": attr.label(allow_single_file = True, mandatory = True),
        "batches": attr.label(allow_single_file = True),
        "arguments": attr.string_list(),
        "_plumbline": _PLUMBLINE,
    },
)

def _expectation(expect):
    if expect == "verified":
        return []
    return ["--expect=" + (",".join(expect) if type(expect) == "list" else expect)]

def _generate(name, generator, sizes, options, **kwargs):
    """Declares the generated schedule; returns its label."""
    arguments = []
    for size in SIZES:
        if sizes[size] != None:
            arguments.append("--%s=%d" % (size, sizes[size]))
    for option, value in sorted(options.items()):
        arguments.append("--option=%s=%s" % (option, value))
    _generated_schedule(
        name = name,
        family = "" if is_label(generator) else generator,
        generator = generator if is_label(generator) else None,
        arguments = arguments,
        **kwargs
    )
    return ":" + name

def _shared(kwargs):
    """Those attributes of a test that its generated schedule has to have too."""
    names = ["tags", "testonly", "target_compatible_with", "compatible_with", "restricted_to", "exec_properties"]
    return {key: kwargs[key] for key in names if key in kwargs}

def _product(lists):
    """Every choice of one value from each list, the last list changing fastest."""
    choices = [{}]
    for key, values in lists.items():
        longer = []
        for choice in choices:
            for value in values:
                extended = dict(choice)
                extended[key] = value
                longer.append(extended)
        choices = longer
    return choices

def _suffix(choice, lists):
    words = []
    for key in SIZES + SWITCHES:
        if len(lists[key]) > 1:
            value = str(choice[key])
            words.append(value + key if key in SIZES else value)
    return "_".join(words)

def schedule_test(
        name,
        schedule = None,
        generator = None,
        stages = None,
        ranks = None,
        microbatches = None,
        options = {},
        batches = None,
        format = "auto",
        model = None,
        comms = None,
        room = None,
        room_bytes = None,
        group = None,
        wait = None,
        connect = None,
        plan = None,
        streams = None,
        strict = False,
        mode = None,
        max_buffers = None,
        max_bubble = None,
        expect = "verified",
        size = "small",
        visibility = None,
        tags = [],
        **kwargs):
    """Tests that a pipeline schedule is right, with `plumbline verify`.

    Sizes and switches may be lists: then there is a test for each combination, and `name` is a test_suite of them.

    Args:
      name: of the test, or of the suite.
      schedule: label of a file: DeepSpeed's lists, PyTorch CSV, DualPipe JSON or .pir; or a target with one output.
      generator: in place of schedule, a schedule of the library (`plumbline gen --list`), or the label of a generator
        (an executable that takes the options of `plumbline gen`).
      stages: of the generated schedule, a number or a list; of a file, the number that it has to have.
      ranks: as stages.
      microbatches: as stages.
      options: dictionary of the generator's options, e.g. {"recompute": "yes"}.
      batches: label of the file with the fused launches of a PyTorch CSV.
      format: how to read the file: auto (by content), deepspeed, pytorch-csv, dualpipe-json, pir.
      model: blocking, nccl or mpi; this and the following are the switches of docs/semantics.md, a value or a list.
      comms: single, pair or directed.
      room: messages that a channel holds.
      room_bytes: bytes that a channel holds, or the eager limit.
      group: given, none or atomic.
      wait: use or group.
      connect: ready or first-use.
      plan: most operations of a launch.
      streams: independent or any.
      strict: what hangs only at the first use of connections is an error.
      mode: training, inference or fragment, which the schedule has to be; left out: any of them.
      max_buffers: most slots of any pool on any rank; or a dictionary from pool to that number.
      max_bubble: largest share of idle time, as a string: "0.25" or "25%".
      expect: "verified", or another verdict, or a list of rules: ["PL401"] passes if exactly these have errors.
      size: of the test.
      visibility: as usual.
      tags: as usual.
      **kwargs: further attributes of a test, such as timeout or flaky.
    """
    given = {"stages": stages, "ranks": ranks, "microbatches": microbatches}
    given.update(
        model = model,
        comms = comms,
        room = room,
        room_bytes = room_bytes,
        group = group,
        wait = wait,
        connect = connect,
        plan = plan,
        streams = streams,
    )
    lists = {key: value if type(value) == "list" else [value] for key, value in given.items()}
    limits = {"max_buffers": max_buffers, "max_bubble": max_bubble, "strict": strict, "format": format, "mode": mode}
    check_arguments(name, schedule, generator, lists, options, limits, expect)
    if "args" in kwargs:
        fail("%s: a schedule_test takes no args; say it in its attributes" % name)
    kwargs["tags"] = tags
    shared = dict(_shared(kwargs), testonly = True)
    choices = _product(lists)
    tests = []
    generated = {}  # label by target name: models share the schedule of a size
    for choice in choices:
        test = name if len(choices) == 1 else name + "_" + _suffix(choice, lists)
        sizes = {key: choice[key] for key in SIZES}
        switches = {key: choice[key] for key in SWITCHES}
        file = schedule
        if generator != None:
            of_size = [str(sizes[key]) + key for key in SIZES if sizes[key] != None]
            target = "_".join([name] + of_size + ["schedule"])
            if target not in generated:
                generated[target] = _generate(target, generator, sizes, options, **shared)
            file = generated[target]
        _schedule_test(
            name = test,
            schedule = file,
            batches = batches,
            arguments = verify_options(switches, sizes, generator, limits) + _expectation(expect),
            size = size,
            visibility = visibility,
            **kwargs
        )
        tests.append(":" + test)
    if len(choices) > 1:

        # Of a suite, Bazel takes tags for a choice among its tests.
        manual = ["manual"] if "manual" in tags else []
        native.test_suite(name = name, tests = tests, visibility = visibility, tags = manual)

def verified_schedule(
        name,
        schedule = None,
        generator = None,
        stages = None,
        ranks = None,
        microbatches = None,
        options = {},
        batches = None,
        format = "auto",
        model = None,
        comms = None,
        room = None,
        room_bytes = None,
        group = None,
        wait = None,
        connect = None,
        plan = None,
        streams = None,
        strict = False,
        mode = None,
        max_buffers = None,
        max_bubble = None,
        **kwargs):
    """Builds the program of a schedule, `<name>.pir`, if it is verified; else the build fails with the report.

    Other targets may depend on it as on a file; the verdict is in the output group `report` and, for rules, in
    VerifiedScheduleInfo.

    Args:
      name: of the target.
      schedule: as in schedule_test.
      generator: as in schedule_test.
      stages: of the generated schedule, or the number that a file has to have.
      ranks: as stages.
      microbatches: as stages.
      options: as in schedule_test.
      batches: as in schedule_test.
      format: as in schedule_test.
      model: this and the following as in schedule_test, one value each.
      comms: single, pair or directed.
      room: messages that a channel holds.
      room_bytes: bytes that a channel holds, or the eager limit.
      group: given, none or atomic.
      wait: use or group.
      connect: ready or first-use.
      plan: most operations of a launch.
      streams: independent or any.
      strict: what hangs only at the first use of connections is an error.
      mode: as in schedule_test.
      max_buffers: as in schedule_test.
      max_bubble: as in schedule_test.
      **kwargs: attributes that all rules have, such as visibility.
    """
    sizes = {"stages": stages, "ranks": ranks, "microbatches": microbatches}
    switches = {
        "model": model,
        "comms": comms,
        "room": room,
        "room_bytes": room_bytes,
        "group": group,
        "wait": wait,
        "connect": connect,
        "plan": plan,
        "streams": streams,
    }
    limits = {"max_buffers": max_buffers, "max_bubble": max_bubble, "strict": strict, "format": format, "mode": mode}
    single = {key: [value] for key, value in dict(sizes, **switches).items()}
    check_arguments(name, schedule, generator, single, options, limits, "verified")
    if type(schedule) == "string" and schedule.split(":")[-1] == name + ".pir":
        fail("%s: would write %s.pir, which is also the name of the file to verify; choose another name" % (name, name))
    if generator != None:
        schedule = _generate(name + "_schedule", generator, sizes, options, **_shared(kwargs))
    _verified_schedule(
        name = name,
        schedule = schedule,
        batches = batches,
        arguments = verify_options(switches, sizes, generator, limits),
        **kwargs
    )
