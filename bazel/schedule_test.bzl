"""`bazel test` on pipeline schedules: schedule_test and verified_schedule. docs/bazel.md shows how to use them."""

# Attributes of schedule_test that become options of `plumbline verify`.
_SWITCHES = ["model", "comms", "room", "room_bytes", "group", "wait", "connect", "plan", "streams"]
_SIZES = ["stages", "ranks", "microbatches"]
_FORMATS = ["auto", "deepspeed", "pytorch-csv", "dualpipe-json", "pir"]

VerifiedScheduleInfo = provider(
    doc = "A schedule that was verified when it was built.",
    fields = {
        "program": "File: the lowered program, as .pir",
        "report": "File: the verdict, as one JSON object (docs/report.md)",
    },
)

def _quoted(argument):
    return "'" + argument.replace("'", "'\\''") + "'"

def _schedule_test_impl(ctx):
    launcher = ctx.actions.declare_file(ctx.label.name + ".sh")
    plumbline = ctx.executable._plumbline
    inputs = [ctx.file.schedule] + ctx.files.batches
    command = [plumbline.short_path, "verify"] + ctx.attr.arguments
    if ctx.file.batches:
        command += ["--batches", ctx.file.batches.short_path]
    command.append(ctx.file.schedule.short_path)

    # A test starts in the folder of its workspace, where short paths lead to its inputs. Bazel names the file for the
    # results of single cases; outside of Bazel there is none.
    ctx.actions.write(launcher, "\n".join([
        "#!/bin/sh",
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
        arguments = [ctx.executable._plumbline.path, program.path, report.path, ctx.file.schedule.path] +
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

def _as_list(value):
    return value if type(value) == "list" else [value]

def _is_label(generator):
    return generator.startswith(":") or generator.startswith("/") or generator.startswith("@")

def _check(name, schedule, generator, sizes, options):
    if (schedule == None) == (generator == None):
        fail("%s: give either a schedule (a file) or a generator (a name of the library, or a label)" % name)
    if schedule != None and (options or [size for size in sizes.values() if size != None]):
        fail("%s: a schedule that is a file has its own sizes and options" % name)
    if generator != None and sizes["microbatches"] == None:
        fail("%s: a generator needs microbatches" % name)
    if generator != None and sizes["stages"] == None and sizes["ranks"] == None:
        fail("%s: a generator needs stages or ranks" % name)

def _verify_options(name, switches, max_buffers, max_bubble, strict, format):
    if format not in _FORMATS:
        fail("%s: format is one of %s" % (name, ", ".join(_FORMATS)))
    arguments = ["--from=" + format] if format != "auto" else []
    for switch, value in switches.items():
        if value != None:
            arguments.append("--%s=%s" % (switch.replace("_", "-"), value))
    if type(max_buffers) == "dict":
        arguments += ["--max-buffers=%s=%d" % (pool, count) for pool, count in sorted(max_buffers.items())]
    elif max_buffers != None:
        arguments.append("--max-buffers=%d" % max_buffers)
    if max_bubble != None:
        arguments.append("--max-bubble=%s" % max_bubble)
    return arguments + (["--strict"] if strict else [])

def _expectation(expect):
    if expect == "verified":
        return []
    return ["--expect=" + (",".join(expect) if type(expect) == "list" else expect)]

def _generate(name, generator, sizes, options, **kwargs):
    """Declares the generated schedule, once however many tests use it; returns its label."""
    arguments = []
    for size in _SIZES:
        if sizes[size] != None:
            arguments.append("--%s=%d" % (size, sizes[size]))
    for option, value in sorted(options.items()):
        arguments.append("--option=%s=%s" % (option, value))
    if not native.existing_rule(name):
        _generated_schedule(
            name = name,
            family = "" if _is_label(generator) else generator,
            generator = generator if _is_label(generator) else None,
            arguments = arguments,
            **kwargs
        )
    return ":" + name

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
    for key in _SIZES + _SWITCHES:
        if len(lists[key]) > 1:
            value = str(choice[key])
            words.append(value + key if key in _SIZES else value)
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
      stages: of the generated schedule; a number or a list.
      ranks: of the generated schedule; a number or a list.
      microbatches: of the generated schedule; a number or a list.
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
      max_buffers: most slots of any pool on any rank; or a dictionary from pool to that number.
      max_bubble: largest share of idle time, as a string: "0.25" or "25%".
      expect: "verified", or another verdict, or a list of rules: ["PL401"] passes if exactly these have errors.
      size: of the test.
      visibility: as usual.
      tags: as usual.
      **kwargs: further attributes of a test, such as timeout or flaky.
    """
    given = {"stages": stages, "ranks": ranks, "microbatches": microbatches}
    _check(name, schedule, generator, given, options)
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
    lists = {key: _as_list(value) for key, value in given.items()}
    choices = _product(lists)
    tests = []
    for choice in choices:
        test = name if len(choices) == 1 else name + "_" + _suffix(choice, lists)
        sizes = {key: choice[key] for key in _SIZES}
        switches = {key: choice[key] for key in _SWITCHES}
        file = schedule
        if generator != None:
            of_size = [str(sizes[key]) + key for key in _SIZES if sizes[key] != None]
            file = _generate("_".join([name] + of_size + ["schedule"]), generator, sizes, options, testonly = True)
        _schedule_test(
            name = test,
            schedule = file,
            batches = batches,
            arguments = _verify_options(test, switches, max_buffers, max_bubble, strict, format) + _expectation(expect),
            size = size,
            visibility = visibility,
            tags = tags,
            **kwargs
        )
        tests.append(":" + test)
    if len(choices) > 1:
        native.test_suite(name = name, tests = tests, visibility = visibility, tags = tags)

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
      stages: a number.
      ranks: a number.
      microbatches: a number.
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
      max_buffers: as in schedule_test.
      max_bubble: as in schedule_test.
      **kwargs: attributes that all rules have, such as visibility.
    """
    sizes = {"stages": stages, "ranks": ranks, "microbatches": microbatches}
    _check(name, schedule, generator, sizes, options)
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
    if generator != None:
        schedule = _generate(name + "_schedule", generator, sizes, options)
    _verified_schedule(
        name = name,
        schedule = schedule,
        batches = batches,
        arguments = _verify_options(name, switches, max_buffers, max_bubble, strict, format),
        **kwargs
    )
