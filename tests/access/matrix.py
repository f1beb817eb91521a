"""Who may do what, row by row: every address of the site, by name.

An address without a row here fails the test that reads this.
"""

from __future__ import annotations

from dataclasses import dataclass

# What becomes of a request. "in" is every answer that is about the page itself, refusals included.
IN, LOGIN, FORBIDDEN, NOTHING = "in", "asked to log in", "forbidden", "nothing there"
PEOPLE = (
    "anonymous", "annotator", "stranger", "analyst", "colleague", "organiser", "admin", "fellow"
)  # fmt: skip


def rule(*outcomes: str, fellow: str = "") -> dict[str, str]:
    """An outcome for each; a fellow organiser gets as far as the owner unless something is said."""
    return dict(zip(PEOPLE, (*outcomes, fellow or outcomes[5]), strict=True))


PUBLIC = rule(*[IN] * 7)
MEMBER = rule(LOGIN, LOGIN, *[IN] * 5)
# An analyst with whom nobody shared the campaign is a stranger to it.
LOOK = rule(LOGIN, LOGIN, NOTHING, NOTHING, IN, IN, IN)
CHANGE = rule(LOGIN, LOGIN, NOTHING, NOTHING, FORBIDDEN, IN, IN)
# Who sees a campaign is its owner's decision; a colleague can only leave.
OWNER = rule(LOGIN, LOGIN, NOTHING, NOTHING, FORBIDDEN, IN, IN, fellow=FORBIDDEN)
IMPORT = rule(LOGIN, LOGIN, IN, FORBIDDEN, FORBIDDEN, IN, IN)
# An upload is its owner's alone; an administrator reads about it in the admin.
UPLOAD = rule(LOGIN, LOGIN, NOTHING, FORBIDDEN, FORBIDDEN, IN, NOTHING, fellow=NOTHING)
OWN_KEY = rule(LOGIN, LOGIN, NOTHING, NOTHING, NOTHING, IN, NOTHING, fellow=NOTHING)
# A file that was made for one person is theirs alone, whoever else may see the campaign.
OWN_EXPORT = rule(LOGIN, LOGIN, NOTHING, NOTHING, NOTHING, IN, NOTHING, fellow=NOTHING)
# Without a token these are refused to everybody, logged in or not.
TOKEN_HEADER = rule(FORBIDDEN, IN, *[FORBIDDEN] * 5)
API_KEY = rule(*[LOGIN] * 7)
# A download before there is anything in it; its own tests have the rest.
NOT_YET = rule(LOGIN, LOGIN, *[NOTHING] * 5)
HIDDEN = rule(*[NOTHING] * 7)
STAFF = rule(*[LOGIN] * 6, IN)


@dataclass(frozen=True)
class Row:
    """By which methods an address is used, and by whom; `args` name what fills the address, and
    `needs` what must be there beside it."""

    methods: dict[str, dict[str, str]]
    args: tuple[str, ...] = ()
    query: str = ""
    needs: tuple[str, ...] = ()


def get(who: dict[str, str], *args: str) -> Row:
    return Row({"GET": who}, args)


def post(who: dict[str, str], *args: str) -> Row:
    return Row({"POST": who}, args)


def both(who: dict[str, str], *args: str, publication: dict[str, str] | None = None) -> Row:
    return Row({"GET": who, "POST": publication or who}, args)


ROWS: dict[str, Row] = {
    "home": get(PUBLIC),  # leads to the list of campaigns, which asks
    "login": both(PUBLIC),
    "password_change": Row({"GET": MEMBER, "POST": MEMBER, "PUT": MEMBER}),
    "password_change_done": get(MEMBER),
    "key-list": both(MEMBER),
    "key-delete": post(OWN_KEY, "key"),
    "favicon": get(PUBLIC),
    "healthz": get(PUBLIC),
    "readyz": get(PUBLIC),
    "metrics": get(HIDDEN),  # to those without its token
    "logout": post(PUBLIC),  # last of these: it logs everybody out
    "api:openapi-json": get(PUBLIC),
    "api:api-root": get(PUBLIC),
    "api:campaigns": get(API_KEY),
    "api:campaign": get(API_KEY, "slug"),
    "api:openapi-view": get(PUBLIC),
    **{
        f"api:{name}": get(API_KEY, "slug")
        for name in (
            "captions",
            "ratings",
            "scores",
            "result",
            "evaluation",
            "sets",
            "comparison",
            "description",
            "factuality",
            "marks",
            "answers",
            "written",
        )
    },
    "api:signed": get(API_KEY),
    "hits:campaign-list": get(MEMBER),
    "hits:upload-create": both(IMPORT),
    "hits:upload-detail": get(UPLOAD, "upload"),
    "hits:upload-confirm": post(UPLOAD, "upload"),
    "hits:upload-discard": post(UPLOAD, "upload"),
    "hits:campaign-detail": get(LOOK, "slug"),
    "hits:campaign-plan": both(LOOK, "slug", publication=CHANGE),
    "hits:campaign-settings": both(CHANGE, "slug"),
    "hits:campaign-share": post(OWNER, "slug"),
    "hits:campaign-leave": post(LOOK, "slug"),
    "hits:caption-correct": both(CHANGE, "slug", "caption"),
    "hits:batch-compose": both(CHANGE, "slug"),
    "hits:batch-delete": post(CHANGE, "slug", "batch_number"),
    "hits:campaign-delete": post(OWNER, "slug"),
    "hits:campaign-duplicate": post(CHANGE, "slug"),
    "hits:hit-list": get(LOOK, "slug"),
    "hits:video-list": get(LOOK, "slug"),
    "hits:video-conversions": get(LOOK, "slug"),
    "hits:video-convert": post(CHANGE, "slug"),
    "hits:video-detail": get(LOOK, "slug", "video"),
    "hits:video-file": get(LOOK, "slug", "video"),
    "hits:video-poster": get(LOOK, "slug", "video"),
    "analysis:metrics": get(LOOK, "slug"),
    "analysis:metric-score": post(LOOK, "slug"),  # analysts score what is shared with them
    "analysis:metric-cancel": post(LOOK, "slug", "run"),
    "analysis:metric-choose": post(LOOK, "slug", "run"),
    "analysis:metric-retry": post(LOOK, "slug", "run"),
    "analysis:metric-learn": post(LOOK, "slug"),
    "analysis:learned-metric": get(LOOK, "slug", "learned"),
    "analysis:learned-stop": post(LOOK, "slug", "learned"),
    "analysis:learned-again": post(LOOK, "slug", "learned"),
    "analysis:learned-retire": post(LOOK, "slug", "learned"),
    "analysis:learned-file": get(NOT_YET, "slug", "learned", "learned_name"),
    "analysis:metric-file": get(NOT_YET, "slug", "scores_name"),
    "analysis:evaluation": get(LOOK, "slug"),
    "analysis:sets": get(LOOK, "slug"),
    "analysis:sets-mix": post(NOT_YET, "slug", "result"),
    "analysis:description": get(LOOK, "slug"),
    "analysis:description-file": get(NOT_YET, "slug", "result", "result_name"),
    "analysis:evaluation-file": get(NOT_YET, "slug", "result", "result_name"),
    "analysis:ranking": get(LOOK, "slug"),
    "analysis:overview": get(LOOK, "slug"),
    "analysis:pair": get(LOOK, "slug"),
    "analysis:comparison": get(LOOK, "slug"),
    "analysis:caption-list": get(LOOK, "slug"),
    "analysis:video-scores": get(LOOK, "slug", "video"),
    "analysis:video-settle": post(CHANGE, "slug", "video"),
    "analysis:why": get(LOOK, "slug", "caption"),
    "analysis:video-frame": get(NOT_YET, "slug", "video", "frame_time"),
    "analysis:factuality": both(LOOK, "slug", publication=CHANGE),
    "analysis:factuality-person": both(LOOK, "slug", "pseudonym", publication=CHANGE),
    "analysis:factuality-file": get(NOT_YET, "slug"),
    "analysis:written": get(LOOK, "slug"),
    "analysis:written-decide": post(CHANGE, "slug"),
    "analysis:written-adopt": post(CHANGE, "slug"),
    "analysis:annotator-list": get(LOOK, "slug"),
    "analysis:annotators-order": both(CHANGE, "slug"),
    "analysis:annotator-detail": get(LOOK, "slug", "pseudonym"),
    "analysis:hit-detail": get(LOOK, "slug", "hit"),
    "analysis:download": get(LOOK, "slug", "list_name", "table_format"),
    "analysis:download-of": get(LOOK, "slug", "person_list", "pseudonym", "table_format"),
    "analysis:export-list": get(LOOK, "slug"),
    "analysis:export-file": get(OWN_EXPORT, "slug", "export"),
    "analysis:result-file": get(LOOK, "slug", "result", "result_name"),
    "annotations:rating-create": post(TOKEN_HEADER),
    "annotations:work-detail": get(TOKEN_HEADER),
    "annotations:item-detail": Row({"GET": TOKEN_HEADER}, query="?position=0"),
    "annotations:problem-create": post(TOKEN_HEADER),
    "annotations:tutorial-check": post(TOKEN_HEADER),
    "annotations:assignment-finish": post(TOKEN_HEADER),
    "annotations:assignment-return": post(TOKEN_HEADER),
    # Who has the address has the token; tampered ones are tried in test_tokens.py.
    "annotations:media": get(PUBLIC, "assignment", "media_name"),
    "crowds:enter": both(PUBLIC, "entry_token"),
    "crowds:join": both(PUBLIC, "join_token"),
    "annotations:rate": get(PUBLIC, "turn_token"),
    "crowds:done": get(PUBLIC, "turn_token"),
    "annotations:hit-preview": get(LOOK, "slug", "hit"),
    "crowds:link-list": both(CHANGE, "slug"),
    "crowds:group-link": post(CHANGE, "slug"),
    "crowds:group-link-code": Row({"GET": CHANGE}, ("slug",), needs=("group_link",)),
    "crowds:link-file": get(CHANGE, "slug"),
    "crowds:link-code": get(CHANGE, "slug", "invitation"),
    # Signed by the crowd: whoever is not it is refused, test_prolific_notice_view.py has the rest.
    "crowds:notice": post(rule(*[FORBIDDEN] * 7), "crowd"),
    "crowds:campaign-preview": both(CHANGE, "slug"),
    "crowds:crowd": get(CHANGE, "slug"),
    "crowds:campaign-close": both(CHANGE, "slug"),
    "crowds:campaign-reopen": post(CHANGE, "slug"),
    "crowds:policy-save": post(CHANGE, "slug"),
    "crowds:launch-create": both(CHANGE, "slug", "batch_number"),
    "crowds:review": both(CHANGE, "slug"),
    "crowds:review-action-list": get(CHANGE, "slug"),
    "crowds:review-action-undo": post(CHANGE, "slug", "order"),
}
ROWS |= {
    f"crowds:launch-{turn}": both(CHANGE, "slug", "launch")
    for turn in ("pause", "resume", "extend", "publish-again", "close", "top-up")
}
ROWS |= {f"crowds:launch-{turn}": post(CHANGE, "slug", "launch") for turn in ("sync", "reconcile")}
ROWS |= {
    f"crowds:outbox-{word}": post(CHANGE, "slug", "message") for word in ("again", "done", "undone")
}
