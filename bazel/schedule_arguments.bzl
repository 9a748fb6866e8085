"""What schedule_test and verified_schedule are given: checked when the BUILD file is loaded, and put into the words of
`plumbline verify`."""

SIZES = ["stages", "ranks", "microbatches"]

# The switches of docs/semantics.md, with their words; those without are numbers.
_WORDS = {
    "model": ["blocking", "nccl", "mpi"],
    "comms": ["single", "pair", "directed"],
    "room": None,
    "room_bytes": None,
    "group": ["given", "none", "atomic"],
    "wait": ["use", "group"],
    "connect": ["ready", "first-use"],
    "plan": None,
    "streams": ["independent", "any"],
}
SWITCHES = _WORDS.keys()
_FORMATS = ["auto", "deepspeed", "pytorch-csv", "dualpipe-json", "pir"]
_MODES = ["training", "inference", "fragment"]
_VERDICTS = ["verified", "rejected", "undecided", "invalid"]

def is_label(generator):
    """Whether a generator is a target of the user's, and not a name of the library."""
    return generator.startswith(":") or generator.startswith("/") or generator.startswith("@")

def _wrong(name, attribute, expected, value):
    fail("%s: %s is %s; got %r" % (name, attribute, expected, value))

def _check_number(name, attribute, value, least):
    if type(value) != "int" or value < least:
        _wrong(name, attribute, "a number from %d on" % least, value)

def _check_list(name, attribute, values):
    if not values:
        fail("%s: %s is an empty list, which would leave no test at all" % (name, attribute))
    for k, value in enumerate(values):
        if value in values[:k]:
            fail("%s: %s has %r twice" % (name, attribute, value))

def _check_source(name, schedule, generator, lists, options):
    if (schedule == None) == (generator == None):
        fail("%s: give either a schedule (a file) or a generator (a name of the library, or a label)" % name)
    if type(options) != "dict":
        _wrong(name, "options", "a dictionary", options)
    if schedule != None and options:
        fail("%s: options are of a generator; a schedule that is a file has none" % name)
    for size in SIZES:
        if schedule != None and len(lists[size]) > 1:
            fail("%s: a file has one number of %s, not a list of them" % (name, size))
    if generator == None:
        return
    if type(generator) != "string":
        _wrong(name, "generator", "a name of `plumbline gen --list`, or a label", generator)
    if not is_label(generator) and native.existing_rule(generator):
        fail("%s: for the target of this package write generator = \":%s\"" % (name, generator))
    if None in lists["microbatches"]:
        fail("%s: a generator needs microbatches" % name)
    if None in lists["stages"] and None in lists["ranks"]:
        fail("%s: a generator needs stages or ranks" % name)

def _is_share(text):
    number = text[:-1] if text.endswith("%") else text
    return number.replace(".", "", 1).isdigit()

def _check_limits(name, limits):
    most = limits["max_buffers"]
    if type(most) == "dict":
        for pool, count in most.items():
            _check_number(name, "max_buffers[%r]" % pool, count, 0)
    elif most != None:
        _check_number(name, "max_buffers", most, 0)
    bubble = limits["max_bubble"]
    if bubble != None and (type(bubble) != "string" or not _is_share(bubble)):
        _wrong(name, "max_bubble", "a share in quotes, such as \"0.25\" or \"25%\"", bubble)
    if type(limits["strict"]) != "bool":
        _wrong(name, "strict", "True or False", limits["strict"])
    if limits["mode"] != None and limits["mode"] not in _MODES:
        _wrong(name, "mode", "one of " + ", ".join(_MODES), limits["mode"])
    if limits["format"] not in _FORMATS:
        _wrong(name, "format", "one of " + ", ".join(_FORMATS), limits["format"])

def _check_expect(name, expect):
    if type(expect) == "string" and expect in _VERDICTS:
        return
    rules = expect if type(expect) == "list" else [expect]
    if not rules:
        fail("%s: expect is an empty list; for a schedule without errors leave it out" % name)
    for rule in rules:
        if type(rule) != "string" or len(rule) != 5 or not rule.startswith("PL") or not rule[2:].isdigit():
            _wrong(name, "expect", "one of %s, or a list of rules such as [\"PL401\"]" % ", ".join(_VERDICTS), expect)

def check_arguments(name, schedule, generator, lists, options, limits, expect):
    """Fails where something cannot be meant. What only Plumbline can tell (a pool's name, say) fails the test instead.

    Args:
      name: of the target.
      schedule: label, or None.
      generator: label or name, or None.
      lists: the values of every size and switch, by name; None: not given.
      options: of the generator.
      limits: dictionary of max_buffers, max_bubble, strict, mode and format.
      expect: verdict or list of rules.
    """
    for attribute, values in lists.items():
        _check_list(name, attribute, values)
        for value in values:
            if value == None:
                continue
            words = _WORDS.get(attribute)
            if words and value not in words:
                _wrong(name, attribute, "one of " + ", ".join(words), value)
            if not words:
                _check_number(name, attribute, value, 1 if attribute in SIZES else 0)
    if lists["room"] != [None] and lists["room_bytes"] != [None]:
        fail("%s: give room or room_bytes, not both" % name)
    _check_source(name, schedule, generator, lists, options)
    _check_limits(name, limits)
    _check_expect(name, expect)

def verify_options(switches, sizes, generator, limits):
    """The options of `plumbline verify`.

    Args:
      switches: value by name; None: not given.
      sizes: value by name; None: not given.
      generator: label or name, or None for a file.
      limits: as in check_arguments.

    Returns:
      A list of words.
    """
    arguments = ["--from=" + limits["format"]] if limits["format"] != "auto" else []

    # The library makes what it is asked for, and counts segments as microbatches (seq1f1b).
    if generator == None or is_label(generator):
        arguments += ["--%s=%d" % (size, value) for size, value in sizes.items() if value != None]
    arguments += ["--%s=%s" % (switch.replace("_", "-"), value) for switch, value in switches.items() if value != None]
    if limits["mode"] != None:
        arguments.append("--mode=" + limits["mode"])
    most = limits["max_buffers"]
    if type(most) == "dict":
        arguments += ["--max-buffers=%s=%d" % (pool, count) for pool, count in sorted(most.items())]
    elif most != None:
        arguments.append("--max-buffers=%d" % most)
    if limits["max_bubble"] != None:
        arguments.append("--max-bubble=" + limits["max_bubble"])
    return arguments + (["--strict"] if limits["strict"] else [])
