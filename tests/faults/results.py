"""`python -m tests.faults.results`: the campaign's results, computed anew, as JSON."""

from __future__ import annotations

import json
import sys


def main() -> None:
    import django

    django.setup()
    from analysis.models import Result
    from analysis.pipeline import Settings
    from analysis.services.results import result_compute, result_request
    from hits.models import Campaign

    Result.objects.all().delete()
    row = result_request(
        campaign=Campaign.objects.get(), choices=Settings(keep_all_annotators=True)
    )
    result_compute(pk=row.pk)
    row.refresh_from_db()
    json.dump({"problem": row.problem, "signature": row.signature, "page": row.page}, sys.stdout)


if __name__ == "__main__":
    main()
