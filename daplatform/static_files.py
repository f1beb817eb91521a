"""Static files under names that carry their content's hash, the imports of modules included."""

from __future__ import annotations

from whitenoise.storage import CompressedManifestStaticFilesStorage


class ModuleStaticFilesStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # untyped
    """Rewrites `import … from "./other.js"`, so that a release never mixes old and new modules."""

    support_js_module_import_aggregation = True
    # In our own modules only: Django also takes the types named in other people's comments for
    # imports, and stops at files that were never meant to be there.
    _js_module_import_aggregation_patterns = (
        "js/*.js",
        CompressedManifestStaticFilesStorage._js_module_import_aggregation_patterns[1],
    )
