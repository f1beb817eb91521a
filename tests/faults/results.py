"""`python -m tests.faults.results`: the campaign's results, computed anew, as JSON."""

from __future__ import annotations

import json
import sys


def main() -> None:
    import django

    django.setup()
    from analysis.models import Result
    from analysis.results.settings import Settings
    from analysis.services.requests import result_request
    from daplatform.jobs.services import job_run
    from hits.models import Campaign

    Result.objects.all().delete()
    row = result_request(
        campaign=Campaign.objects.get(), choices=Settings(keep_all_annotators=True)
    )
    job_run(row)
    row.refresh_from_db()
    json.dump(
        {"problem": row.problem, "signature": row.signature, "summary": row.summary}, sys.stdout
    )


if __name__ == "__main__":
    main()
