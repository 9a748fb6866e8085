"""clang-tidy as an aspect, so that Bazel checks again only what has changed. tools/lint calls it:

    bazel build --aspects=//bazel:clang_tidy.bzl%clang_tidy --output_groups=clang_tidy //...

It checks the .cc files of each target named, with that target's include paths and definitions; headers are checked
through the files that include them.
"""

def _own_sources(ctx):
    sources = []
    for label in getattr(ctx.rule.attr, "srcs", []):
        for source in label.files.to_list():
            if source.extension == "cc" and source.is_source and not source.path.startswith("external/"):
                sources.append(source)
    return sources

def _contexts(target, ctx):
    # A binary or a test provides no CcInfo of its own.
    providers = [target] if CcInfo in target else [dep for dep in getattr(ctx.rule.attr, "deps", []) if CcInfo in dep]
    return [provider[CcInfo].compilation_context for provider in providers]

def _flags(contexts):
    flags = ["-std=c++20", "-iquote", "."]
    for context in contexts:
        flags += ["-D" + define for define in context.defines.to_list() + context.local_defines.to_list()]
        for option, folders in [
            ("-iquote", context.quote_includes),
            ("-I", context.includes),
            ("-isystem", context.system_includes),
        ]:
            for folder in folders.to_list():
                flags += [option, folder]
    return flags

def _clang_tidy_impl(target, ctx):
    contexts = _contexts(target, ctx)
    headers = depset(transitive = [context.headers for context in contexts])
    own_headers = [
        header
        for label in getattr(ctx.rule.attr, "srcs", []) + getattr(ctx.rule.attr, "hdrs", [])
        for header in label.files.to_list()
    ]
    stamps = []
    for source in _own_sources(ctx):
        stamp = ctx.actions.declare_file("%s.%s.clang_tidy" % (ctx.label.name, source.basename))
        ctx.actions.run(
            executable = ctx.executable._check,
            arguments = [stamp.path, source.path] + _flags(contexts),
            inputs = depset([source] + own_headers, transitive = [headers, ctx.attr._configuration.files]),
            outputs = [stamp],
            mnemonic = "ClangTidy",
            progress_message = "Checking %s with clang-tidy" % source.short_path,
            use_default_shell_env = True,
        )
        stamps.append(stamp)
    return [OutputGroupInfo(clang_tidy = depset(stamps))]

clang_tidy = aspect(
    implementation = _clang_tidy_impl,
    attrs = {
        "_check": attr.label(default = "//bazel:clang_tidy", executable = True, cfg = "host"),
        "_configuration": attr.label(default = "//:.clang-tidy", allow_single_file = True),
    },
)
