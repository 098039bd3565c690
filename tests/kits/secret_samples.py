# ruff: noqa: E501  # the tables of forms read best a line each
"""A seed in, made-up secrets and harmless look-alikes out; nothing here is, or ever was, a live credential.

Every secret is put together at run time from a prefix and random characters, so that no file holds one.
"""

import base64
import json
import random
import string
import uuid
from collections.abc import Callable, Iterator
from typing import NamedTuple

HEX = string.hexdigits[:16]
ALNUM = string.ascii_letters + string.digits
B64 = ALNUM + "+/"
URLSAFE = ALNUM + "-_"


class Sample(NamedTuple):
    """A text that holds a secret, and the secret."""

    type: str
    text: str
    secret: str


def chars(rng: random.Random, alphabet: str, count: int) -> str:
    return "".join(rng.choice(alphabet) for _ in range(count))


def mixed(rng: random.Random, alphabet: str, count: int) -> str:
    """Random characters with at least one digit and one letter of each case the alphabet has, as real keys have."""
    drawn = list(chars(rng, alphabet, count))
    kinds = [kind for kind in ("3456789", "QWRTZ", "kmxvw") if kind[0] in alphabet]
    for place, kind in zip(rng.sample(range(count), len(kinds)), kinds, strict=True):
        drawn[place] = rng.choice(kind)
    return "".join(drawn)


def _prefixed(prefix: str, alphabet: str, count: int) -> Callable[[random.Random], str]:
    if alphabet == HEX:
        return lambda rng: prefix + chars(rng, HEX, count)
    return lambda rng: prefix + mixed(rng, alphabet, count)


def _b64url(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def _jwt(rng: random.Random) -> str:
    claims = {"sub": str(rng.randrange(10**9)), "iat": 1700000000 + rng.randrange(10**7)}
    return f"{_b64url({'alg': 'HS256', 'typ': 'JWT'})}.{_b64url(claims)}.{chars(rng, URLSAFE, 43)}"


def _pem(label: str) -> Callable[[random.Random], str]:
    def make(rng: random.Random) -> str:
        lines = [chars(rng, B64, 64) for _ in range(rng.randint(4, 24))]
        kind = f"{label} PRIVATE KEY".strip() + (" BLOCK" if label == "PGP" else "")
        return "\n".join([f"-----BEGIN {kind}-----", *lines, chars(rng, B64, 22) + "==", f"-----END {kind}-----"])

    return make


def _discord(rng: random.Random) -> str:
    bot = base64.b64encode(str(rng.randrange(10**17, 10**18)).encode()).decode().rstrip("=")
    return f"{bot}.{chars(rng, URLSAFE, 6)}.{chars(rng, ALNUM, 38)}"


STANDALONE: dict[str, Callable[[random.Random], str]] = {
    "aws-access-key": lambda rng: rng.choice(("AKIA", "ASIA")) + chars(rng, string.ascii_uppercase + "234567", 16),
    "github-token": lambda rng: f"gh{rng.choice('pousr')}_" + mixed(rng, ALNUM, 36),
    "pellucid-token": lambda rng: "pel_" + mixed(rng, HEX, 12) + "_" + mixed(rng, HEX, 64),
    "github-fine-grained-token": lambda rng: "github_pat_" + mixed(rng, ALNUM, 22) + "_" + mixed(rng, ALNUM, 59),
    "gitlab-token": _prefixed("glpat-", URLSAFE[:-1], 20),
    "slack-token": lambda rng: (
        f"xox{rng.choice('bpas')}-"
        + "-".join((chars(rng, "123456789", 12), chars(rng, "123456789", 12), mixed(rng, ALNUM, 24)))
    ),
    "stripe-key": lambda rng: rng.choice(("sk_live_", "rk_live_", "sk_test_", "whsec_")) + mixed(rng, ALNUM, 32),
    "openai-key": lambda rng: rng.choice(("sk-", "sk-proj-")) + mixed(rng, ALNUM, 48),
    "anthropic-key": _prefixed("sk-ant-api03-", URLSAFE, 95),
    "google-api-key": _prefixed("AIza", ALNUM, 35),
    "google-oauth": lambda rng: rng.choice(("ya29.", "GOCSPX-")) + mixed(rng, ALNUM, 28),
    "azure-client-secret": lambda rng: mixed(rng, ALNUM, 3) + rng.choice("6789") + "Q~" + mixed(rng, ALNUM + "_.", 34),
    "npm-token": _prefixed("npm_", ALNUM, 36),
    "pypi-token": _prefixed("pypi-AgEIcHlwaS5vcmc", ALNUM, 90),
    "docker-token": _prefixed("dckr_pat_", ALNUM, 27),
    "huggingface-token": _prefixed("hf_", ALNUM, 34),
    "twilio-key": _prefixed("SK", HEX, 32),
    "sendgrid-key": lambda rng: f"SG.{mixed(rng, ALNUM, 22)}.{mixed(rng, ALNUM, 43)}",
    "mailgun-key": _prefixed("key-", HEX, 32),
    "mailchimp-key": lambda rng: chars(rng, HEX, 32) + f"-us{rng.randint(1, 21)}",
    "telegram-bot-token": lambda rng: f"{rng.randrange(10**8, 10**10)}:AA{chars(rng, ALNUM, 33)}",
    "discord-token": _discord,
    "digitalocean-token": _prefixed("dop_v1_", HEX, 64),
    "heroku-key": _prefixed("HRKU-", ALNUM, 58),
    "databricks-token": _prefixed("dapi", HEX, 32),
    "cloudflare-key": lambda rng: f"v1.0-{chars(rng, HEX, 24)}-{chars(rng, HEX, 146)}",
    "newrelic-key": _prefixed("NRAK-", string.ascii_uppercase + string.digits, 27),
    "sentry-token": _prefixed("sntryu_", HEX, 64),
    "square-token": lambda rng: rng.choice(("sq0atp-", "EAAA")) + mixed(rng, ALNUM, 60),
    "shopify-token": _prefixed("shpat_", HEX, 32),
    "atlassian-token": _prefixed("ATATT3", ALNUM, 180),
    "linear-key": _prefixed("lin_api_", ALNUM, 40),
    "notion-token": lambda rng: rng.choice(("ntn_", "secret_")) + mixed(rng, ALNUM, 43),
    "vault-token": _prefixed("hvs.", ALNUM, 90),
    "doppler-token": _prefixed("dp.pt.", ALNUM, 43),
    "grafana-token": _prefixed("glsa_", ALNUM, 41),
    "postman-key": lambda rng: f"PMAK-{chars(rng, HEX, 24)}-{chars(rng, HEX, 34)}",
    "groq-key": _prefixed("gsk_", ALNUM, 52),
    "age-key": _prefixed("AGE-SECRET-KEY-1", string.ascii_uppercase + string.digits, 58),
    "jwt": _jwt,
    "private-key": lambda rng: _pem(rng.choice(("", "RSA", "EC", "ENCRYPTED", "DSA")))(rng),
    "ssh-private-key": _pem("OPENSSH"),
    "pgp-private-key": _pem("PGP"),
}
"""Types that betray themselves, each with how to make one up."""

Context = tuple[str, Callable[[random.Random], str]]
PASSWORDS = ("hunter", "Tr0ub4dor&", "s3cr3t!", "Winter", "correct-horse-")


def _password(rng: random.Random) -> str:
    return rng.choice(PASSWORDS) + chars(rng, ALNUM, 6) + str(rng.randrange(10, 99))


def _random(alphabet: str, count: int) -> Callable[[random.Random], str]:
    return lambda rng: chars(rng, HEX, count) if alphabet == HEX else mixed(rng, alphabet, count)


def _card(rng: random.Random) -> str:
    prefix, length = rng.choice((("4", 16), ("51", 16), ("2221", 16), ("37", 15), ("6011", 16), ("3530", 16)))
    body = prefix + chars(rng, string.digits, length - len(prefix) - 1)
    total = sum(sum(divmod(int(d) * (2 if i % 2 == 0 else 1), 10)) for i, d in enumerate(reversed(body)))
    digits = body + str(-total % 10)
    mark = rng.choice(("", " ", "-"))
    groups = (4, 6, 5) if length == 15 else (4, 4, 4, 4)
    starts = [sum(groups[:i]) for i in range(len(groups))]
    return mark.join(digits[start : start + size] for start, size in zip(starts, groups, strict=True))


IN_CONTEXT: dict[str, tuple[tuple[str, ...], Callable[[random.Random], str]]] = {
    "aws-secret": (
        ("aws_secret_access_key = §", '"SecretAccessKey": "§"', "export AWS_SECRET_ACCESS_KEY=§"),
        _random(B64, 40),
    ),
    "aws-token": (("aws_session_token=§", '{"SessionToken":"§"}', "AWS_SESSION_TOKEN='§'"), _random(B64, 356)),
    "azure-storage-key": (
        ("AccountName=acme;AccountKey=§;EndpointSuffix=core", '"…;AccountKey=§"'),
        lambda rng: mixed(rng, B64, 86) + "==",
    ),
    "azure-sas": (("https://a.example.net/c/b?sv=2022&sp=r&sig=§&se=2030",), lambda rng: mixed(rng, ALNUM, 43) + "%3D"),
    "slack-webhook": (
        ("https://hooks.slack.com/services/§", 'curl -X POST "https://hooks.slack.com/services/§"'),
        lambda rng: (
            f"T{mixed(rng, string.ascii_uppercase + string.digits, 9)}/B{mixed(rng, ALNUM, 9)}/{mixed(rng, ALNUM, 24)}"
        ),
    ),
    "discord-webhook": (
        ("https://discord.com/api/webhooks/§",),
        lambda rng: f"{rng.randrange(10**17, 10**18)}/{mixed(rng, ALNUM, 68)}",
    ),
    "sentry-dsn": (
        ("SENTRY_DSN=https://§@o4501.ingest.sentry.io/77", 'dsn: "https://§@sentry.example.com/2"'),
        _random(HEX, 32),
    ),
    "heroku-key": (
        ("HEROKU_API_KEY=§", '"heroku_api_key": "§"'),
        lambda rng: str(uuid.UUID(int=rng.getrandbits(128), version=4)),
    ),
    "datadog-key": (("DD_API_KEY=§", "datadog_api_key: §", '"DD-API-KEY": "§"'), _random(HEX, 32)),
    "cloudflare-token": (("CLOUDFLARE_API_TOKEN=§", "X-Auth-Key: §", 'cf_api_token = "§"'), _random(ALNUM, 40)),
    "twilio-token": (("TWILIO_AUTH_TOKEN=§", 'auth_token = "§"'), _random(HEX, 32)),
    "url-password": (
        (
            "postgres://app:§@db.example.com:5432/main",
            "redis://:§@cache:6379/0",
            'DATABASE_URL="mysql://root:§@127.0.0.1/x"',
            "https://bob:§@git.example.com/r.git",
        ),
        lambda rng: mixed(rng, ALNUM, rng.randint(8, 20)),
    ),
    "authorization-header": (
        (
            "Authorization: Bearer §",
            'curl -H "Authorization: Bearer §" https://x.example',
            "{'Authorization': 'Token §'}",
            'headers["Authorization"] = "Bearer §"',
            "authorization: Basic §",
        ),
        _random(ALNUM, 40),
    ),
    "cookie": (
        ("Cookie: sessionid=§; theme=dark", "Set-Cookie: sid=§; Path=/; HttpOnly", '-H "cookie: auth=§"'),
        _random(ALNUM, 32),
    ),
    "password": (
        (
            "password=§",
            'password: "§"',
            "DB_PASSWORD=§",
            "export PGPASSWORD='§'",
            '{"user": "bob", "password": "§"}',
            "my password is §",
            "--password §",
            "<password>§</password>",
            "https://x.example/login?user=bob&password=§&next=1",
            '- name: DB_PASSWORD\n  value: "§"',
            "passwd := `§`",
            "machine h.example login bob password §",
            'conn = connect(host="h", password="§")',
            "Server=db;User Id=sa;Password=§;Encrypt=true",
        ),
        _password,
    ),
    "api-key": (
        (
            "api_key=§",
            '"apiKey": "§"',
            "X-API-Key: §",
            "API_KEY: §",
            "https://x.example/v1?api_key=§&q=1",
            "const apiKey = '§';",
            "my api key is §",
            "--api-key=§",
        ),
        _random(ALNUM, 32),
    ),
    "secret": (
        (
            "client_secret=§",
            "secret: §",
            '"clientSecret": "§"',
            "SECRET_KEY = '§'",
            "JWT_SECRET=§",
            "secret: |\n  §",
            "webhook_secret: '§'",
            "signing_key: §",
        ),
        _random(ALNUM, 40),
    ),
    "token": (
        (
            "token: §",
            "export FOO_TOKEN=§",
            '"access_token":"§"',
            "refresh_token=§",
            "//registry.example/:_authToken=§",
            "?access_token=§",
            "token = '§'",
            "--token §",
            '["--token", "§"]',
            "--header 'X-Auth-Token: §'",
        ),
        _random(ALNUM, 40),
    ),
    "command-line-password": (
        ("curl -u bob:§ https://x.example", "sshpass -p '§' ssh bob@h", "curl --user bob:§ -X POST https://x.example"),
        _password,
    ),
    "password-hash": (
        ("root:§:19000:0:99999:7:::", "bob:§:1::::::"),
        lambda rng: f"$6${mixed(rng, ALNUM, 16)}${mixed(rng, ALNUM + './', 86)}",
    ),
    "credit-card": (("card §", '"cardNumber": "§"', "pan=§,", "(Visa §)"), _card),
    "seed-phrase": (
        ("mnemonic: §", 'seed phrase is "§"', 'MNEMONIC="§"'),
        lambda rng: " ".join(
            rng.choice(("abandon", "ability", "zebra", "hockey", "velvet", "orbit", "canoe", "fiber"))
            for _ in range(rng.choice((12, 24)))
        ),
    ),
}
"""Types known by where they stand: the forms of text, `§` being the secret's place, and how to make one up."""


WRAPPINGS: tuple[Callable[[str], str], ...] = (
    lambda s: s,
    lambda s: f"here it is: {s}, please keep it",
    lambda s: f'"{s}"',
    lambda s: f"'{s}'",
    lambda s: f"`{s}`",
    lambda s: f"export THE_THING={s}",
    lambda s: f"the_thing: {s}\nother: 1",
    lambda s: json.dumps({"thing": s, "n": 1}),
    lambda s: json.dumps({"thing": [s]}, indent=2),
    lambda s: json.dumps({"stdout": f"first\n{s}\nlast"}),
    lambda s: json.dumps(json.dumps({"thing": s})),
    lambda s: f"https://x.example/a?b={s}&c=1",
    lambda s: f"$ tool --with={s} --go\nok",
    lambda s: f"line one\n\t{s}\nline three",
    lambda s: f"+{s}",
    lambda s: f"({s})",
    lambda s: f"x={s};y=2",
    lambda s: f"<v>{s}</v>",
    lambda s: f"found {s}. It was there.",
    lambda s: f"2026-01-02T03:04:05Z INFO key {s}\r\nnext",
)


def samples(seed: int, variants: int = 20) -> Iterator[Sample]:
    """At least `variants` texts of every type."""
    rng = random.Random(seed)
    for name, make in STANDALONE.items():
        for index in range(variants):
            secret = make(rng)
            wrapped = WRAPPINGS[index % len(WRAPPINGS)](secret)
            yield Sample(name, wrapped, secret)
    for name, (forms, make) in IN_CONTEXT.items():
        for index in range(max(variants, len(forms))):
            secret = make(rng)
            text = forms[index % len(forms)].replace("§", secret)
            if index >= len(forms) and index % 3 == 0:
                text = json.dumps({"out": f"a\n{text}\nb"})
            yield Sample(name, text, secret)


def leaked(sample: Sample, output: str) -> int:
    """How many of the secret's bytes are still there: those in pieces of eight or more (the whole, if shorter)."""
    body = sample.secret.replace("\n", "")
    flat = output.replace("\\n", "").replace("\\\\n", "").replace("\n", "")
    size = min(8, len(body))
    seen = [body[i : i + size] in flat for i in range(len(body) - size + 1)]
    covered = {i + k for i, hit in enumerate(seen) if hit for k in range(size)}
    return sum(1 for i in covered if not (sample.secret.startswith("-----") and body[i] == "-"))


_SENTENCES = (
    "the password is required when a token expires and the secret stays in the vault because every key rotates weekly "
    "please update the cookie banner our bearer of news passed the test for authorization of the private key holder "
    "we keep api keys out of commits the session cookie was cleared and credentials are never printed in the log"
)
WORDS = tuple(_SENTENCES.split())
_CODE = (
    "token: str = Field(default='')",
    "password = os.environ['DB_PASSWORD']",
    "secret: ${{ secrets.DEPLOY_KEY }}",
    "def get_token(self, token: str | None = None) -> Token:",
    "api_key = settings.api_key",
    "if token == other_token:",
    "const password = await prompt('Password: ');",
    "password: formData.password,",
    "token = tokens[0]",
    "pwd = os.getcwd()",
    "secret = load_secret(path)",
    "export API_KEY=$(vault read -field=key secret/app)",
    "PASSWORD=<your password here>",
    "tokenizer = AutoTokenizer.from_pretrained('bert-base-uncased')",
    "max_tokens=4096, temperature=0.2",
    "token_count: 15000",
    "auth = HTTPBasicAuth(user, password)",
    "api_key: YOUR_API_KEY",
    "Authorization: Bearer <token>",
    "PWD=/home/bob/src2",
    "headers = {'Authorization': f'Bearer {token}'}",
    "password=changeme",
    "secretKeyRef: {name: db-secret, key: password}",
    "key: value",
    "for key, value in mapping.items():",
    "primary_key=True",
    "foreign_key = 'user_id_2'",
    "cookie = SimpleCookie()",
    "postgres://user:password@localhost/db",
    "https://$USER:$PASS@example.com",
    "url = f'https://{user}:{pw}@{host}/x'",
    "-----BEGIN PUBLIC KEY-----",
    "secrets.token_hex(16)",
    "next_page_token: null",
    "csrf_token = request.cookies.get('csrf')",
    "--- PASS: TestToken2 (0.01s)",
    "passed=12 failed=0",
    "password_file: /run/secrets/db_password",
    "token_url: https://x.example/oauth2/token",
    "http://localhost:3000?email=a@b.example",
    "docker run -u 1000:1000 img",
    "ssh://git@github.com:2222/x.git",
    "sk-" + "learn-extra-tools-for-pipelines",
)


def harmless(seed: int, count: int = 6000) -> Iterator[str]:
    """Lines that hold no secret: digests, ids, lock files, logs, code and prose about secrets."""
    rng = random.Random(seed)
    makers: tuple[Callable[[], str], ...] = (
        lambda: chars(rng, HEX, 40),
        lambda: f"commit {chars(rng, HEX, 40)}",
        lambda: f"{chars(rng, HEX, 64)}  dist/app-1.{rng.randrange(99)}.tar.gz",
        lambda: str(uuid.UUID(int=rng.getrandbits(128), version=4)),
        lambda: f'"sessionId": "{uuid.UUID(int=rng.getrandbits(128), version=4)}", "uuid": "{chars(rng, HEX, 32)}"',
        lambda: f"{rng.choice(('mem', 'rec', 'ep', 'obs'))}_{chars(rng, HEX, 32)}",
        lambda: f'token: "rec_{chars(rng, HEX, 32)}"',
        lambda: f'"integrity": "sha512-{chars(rng, B64, 86)}==",',
        lambda: f'"digest": "sha256:{chars(rng, HEX, 64)}",',
        lambda: (
            f'resolved "https://registry.example/x/-/x-{rng.randrange(9)}.{rng.randrange(99)}.0.tgz#{chars(rng, HEX, 40)}"'
        ),
        lambda: f"example.org/mod v1.{rng.randrange(20)}.0 h1:{chars(rng, B64, 43)}=",
        lambda: f"pkg/file{rng.randrange(99)}.py,sha256={chars(rng, URLSAFE, 43)},{rng.randrange(99999)}",
        lambda: "01" + chars(rng, "0123456789ABCDEFGHJKMNPQRSTVWXYZ", 24),
        lambda: (
            f"2026-0{rng.randint(1, 9)}-1{rng.randrange(10)}T0{rng.randrange(10)}:11:22.{rng.randrange(1000):03d}Z INFO request {rng.randrange(10**12)} took {rng.randrange(999)}ms"
        ),
        lambda: str(1_700_000_000_000_000_000 + rng.randrange(10**15)),
        lambda: (
            f"v{rng.randrange(9)}.{rng.randrange(99)}.{rng.randrange(99)}-rc.{rng.randrange(9)}+build.{rng.randrange(999)}"
        ),
        lambda: (
            f"/home/bob/src/{rng.choice(WORDS)}/{rng.choice(WORDS)}_{rng.randrange(99)}/token_store.py:{rng.randrange(999)}"
        ),
        lambda: f"data:image/png;base64,{base64.b64encode(rng.randbytes(90)).decode()}",
        lambda: f"index {chars(rng, HEX, 7)}..{chars(rng, HEX, 7)} 100644",
        lambda: " ".join(rng.choice(WORDS) for _ in range(12)),
        lambda: f"{rng.choice(WORDS).title()}: {' '.join(rng.choice(WORDS) for _ in range(8))}",
        lambda: rng.choice(_CODE),
        lambda: f"0.{rng.randrange(10**16):016d}, {rng.random()}, {rng.randrange(10**9)}",
        lambda: f'ETag: W/"{chars(rng, HEX, 32)}"',
        lambda: f"image: registry.example/app@sha256:{chars(rng, HEX, 64)}",
    )
    for index in range(count):
        yield makers[index % len(makers)]()
