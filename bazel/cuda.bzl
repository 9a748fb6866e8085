"""Rules for what needs the CUDA toolkit. Without one they declare nothing, so that `//...` builds everywhere; a target
that other packages depend on has to be there in any case: see //runtime/cuda.
"""

load("@system_cuda//:toolkit.bzl", "CUDA", "CUDA_LIBRARIES", "MISSING", "NVCC")
load(":cc.bzl", "plumbline_cc_binary", "plumbline_cc_library", "plumbline_cc_test")

# Ampere and Hopper, and PTX that newer devices compile for themselves.
_ARCHITECTURES = ["arch=compute_80,code=sm_80", "arch=compute_90,code=sm_90", "arch=compute_90,code=compute_90"]

def _cuda_object_impl(ctx):
    contexts = [dep[CcInfo].compilation_context for dep in ctx.attr.deps]
    output = ctx.actions.declare_file(ctx.label.name + ".o")
    args = ctx.actions.args()
    args.add_all(["-c", ctx.file.src, "-o", output])
    args.add_all(["-std=c++20", "-O2", "-ccbin", "g++"])
    args.add_all(_ARCHITECTURES, before_each = "-gencode")
    args.add_all(["-Werror", "all-warnings", "-Xcompiler", "-fPIC,-Wall,-Wextra,-Wshadow,-Werror"])
    for context in contexts:
        args.add_all(context.quote_includes, before_each = "-I")
        args.add_all(context.includes, before_each = "-I")
        args.add_all(context.system_includes, before_each = "-isystem")
    ctx.actions.run(
        executable = NVCC,
        arguments = [args],
        inputs = depset([ctx.file.src, ctx.file._version], transitive = [context.headers for context in contexts]),
        outputs = [output],
        mnemonic = "CudaCompile",
        progress_message = "Compiling %s with nvcc" % ctx.file.src.short_path,
        # For g++, by its name.
        use_default_shell_env = True,
    )
    return [DefaultInfo(files = depset([output]))]

_cuda_object = rule(
    implementation = _cuda_object_impl,
    attrs = {
        "src": attr.label(allow_single_file = [".cu"], mandatory = True),
        "deps": attr.label_list(providers = [CcInfo]),
        "_version": attr.label(allow_single_file = True, default = "@system_cuda//:version.txt"),
    },
)

def cuda_kernels(name, src, hdrs, deps, **kwargs):
    """A library of one .cu file, compiled by nvcc."""
    if CUDA:
        plumbline_cc_library(name = name + "_headers", hdrs = hdrs, deps = deps)
        _cuda_object(name = name + "_object", src = src, deps = [":" + name + "_headers"])
        plumbline_cc_library(
            name = name,
            srcs = [":" + name + "_object"],
            linkstatic = True,
            deps = [":" + name + "_headers"],
            **kwargs
        )

def cuda_cc_library(name, **kwargs):
    """A plumbline_cc_library that needs the toolkit's headers."""
    if CUDA:
        plumbline_cc_library(name = name, **kwargs)

def cuda_cc_test(name, **kwargs):
    """A plumbline_cc_test that needs the toolkit's headers."""
    if CUDA:
        plumbline_cc_test(name = name, linkstatic = True, **kwargs)

def cuda_cc_binary(name, **kwargs):
    """A plumbline_cc_binary that is linked with the toolkit's libraries."""
    if CUDA_LIBRARIES:
        plumbline_cc_binary(name = name, **kwargs)

def cuda_standin_binary(name, **kwargs):
    """A plumbline_cc_binary, for tests, that is linked with the stand-in for the toolkit's libraries."""
    if CUDA:
        plumbline_cc_binary(name = name, testonly = True, **kwargs)

def cuda_py_test(name, **kwargs):
    """A py_test of what is linked with the stand-in."""
    if CUDA:
        native.py_test(name = name, **kwargs)

def cuda_linked_library(name, deps):
    """A library of what is linked with the toolkit's libraries; without them, one that does not build, and says why."""
    if CUDA_LIBRARIES:
        plumbline_cc_library(name = name, deps = deps)
        return
    native.genrule(
        name = name + "_missing",
        outs = [name + "_missing.cc"],
        cmd = "echo '--config=cuda needs the CUDA toolkit with NCCL: %s' >&2; exit 1" % MISSING,
        tags = ["manual"],
    )
    plumbline_cc_library(name = name, srcs = [name + "_missing.cc"], tags = ["manual"])

def cuda_symbols_test(name, srcs, callers, libraries):
    """A test of the symbols that `callers` use (its first file) and that `libraries` have (its second), one a line."""
    if not CUDA:
        return
    lists = []
    for part, labels, flags in [("used", callers, "--undefined-only"), ("had", libraries, "--defined-only")]:
        lists.append("%s_%s.txt" % (name, part))
        native.genrule(
            name = name + "_" + part,
            testonly = True,
            srcs = labels,
            outs = [lists[-1]],
            # One kind of archive is enough, and shared libraries name what others have too.
            cmd = "nm %s $$(echo $(SRCS) | tr ' ' '\\n' | grep -v -E '[.](so|pic[.]a)$$') | awk '{print $$NF}' > $@" % flags,
        )
    native.sh_test(name = name, size = "small", srcs = srcs, args = ["$(location %s)" % list for list in lists], data = lists)

def cuda_linked_sh_test(name, **kwargs):
    """A sh_test about what is linked with the toolkit's libraries."""
    if CUDA_LIBRARIES:
        native.sh_test(name = name, **kwargs)

def toolkit_test(name, srcs):
    """A test that tells in its log what was left out."""
    native.sh_test(
        name = name,
        size = "small",
        srcs = srcs,
        args = [str(CUDA), str(CUDA_LIBRARIES), "'%s'" % MISSING],
    )
