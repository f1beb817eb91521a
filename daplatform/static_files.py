"""Static files under names that carry their content's hash, the imports of modules included."""

from __future__ import annotations

from whitenoise.storage import CompressedManifestStaticFilesStorage


class ModuleStaticFilesStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]  # untyped
    """Rewrites `import … from "./other.js"`, so that a release never mixes old and new modules."""

    support_js_module_import_aggregation = True
