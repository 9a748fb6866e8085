"""What a workspace needs to depend on Plumbline: see docs/bazel.md."""

load(":subfolder.bzl", "plumbline_subfolder")
load("//third_party:cuda_toolkit.bzl", "cuda_toolkit")
load("//third_party:system_libraries.bzl", "system_libraries")

def plumbline_repositories():
    """Declares every repository that Plumbline's build names, and its Python toolchain. Nothing is downloaded.

    A repository that the workspace has declared before is left alone.
    """
    existing = native.existing_rules()

    # Bazel's C++ and test rules load these by name; Debian ships them with Bazel.
    for name, path in {
        "platforms": "/usr/share/bazel/platforms",
        "rules_java": "/usr/share/bazel/rules/java",
        "rules_proto": "/usr/share/bazel/rules/proto",
        "bazel_skylib": "/usr/share/bazel/tools/skylib",
    }.items():
        if name not in existing:
            native.local_repository(name = name, path = path)

    # And these two have stand-ins in our tree.
    for name in ["rules_cc", "remote_coverage_tools"]:
        if name not in existing:
            plumbline_subfolder(name = name, folder = name)
    system_libraries()
    cuda_toolkit()
    native.register_toolchains("@plumbline//bazel:python_toolchain")
