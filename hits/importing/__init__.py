"""Files to checked rows, without a database: every fault with its file, line, column and remedy.

from hits.importing.reading import read_campaign

with TemporaryDirectory() as workspace:
    reading = read_campaign(Path("campaign.zip"), workspace=Path(workspace))
    for fault in reading.faults:
        print(fault)
    if reading.is_sound:
        for caption in reading.captions():
            ...
"""
