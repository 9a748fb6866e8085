"""A folder of Plumbline's tree as a repository of its own, wherever that tree lies."""

def _plumbline_subfolder_impl(repository_ctx):
    folder = repository_ctx.path(Label("//third_party:BUILD.bazel")).dirname.get_child(repository_ctx.attr.folder)
    for entry in folder.readdir():
        repository_ctx.symlink(entry, entry.basename)

plumbline_subfolder = repository_rule(
    implementation = _plumbline_subfolder_impl,
    attrs = {
        "folder": attr.string(mandatory = True, doc = "Name of a folder in third_party/."),
    },
    local = True,
)
