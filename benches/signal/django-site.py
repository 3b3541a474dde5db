"""A site of Django for the bench: python django-site.py FOLDER PORT. Page N is edited where FOLDER/N exists."""
import os
import random
import sys
from datetime import timedelta

import django
from django.conf import settings
from django.contrib import messages
from django.core.management import execute_from_command_line
from django.http import HttpResponse
from django.template import engines
from django.urls import path
from django.utils import timezone

folder, port = sys.argv[1], sys.argv[2]
settings.configure(
    DEBUG=False,
    SECRET_KEY="a" * 50,
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF=__name__,
    USE_TZ=True,
    INSTALLED_APPS=["django.contrib.sessions", "django.contrib.messages", "django.contrib.humanize"],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware",
        "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.messages.middleware.MessageMiddleware",
    ],
    SESSION_ENGINE="django.contrib.sessions.backends.signed_cookies",
    MESSAGE_STORAGE="django.contrib.messages.storage.cookie.CookieStorage",
    TEMPLATES=[
        {
            "BACKEND": "django.template.backends.django.DjangoTemplates",
            "OPTIONS": {
                "context_processors": [
                    "django.template.context_processors.request",
                    "django.contrib.messages.context_processors.messages",
                ]
            },
        }
    ],
)
django.setup()
views = 0
started = timezone.now()
tips = ["Save often.", "Read the manual first.", "Ask <em>early</em>.", "Tests are cheap.", "Name things well."]

page = """{% load humanize %}<!doctype html><html lang="en"><head><title>Article {{ n }} | Site administration</title>
<link rel="stylesheet" href="/static/base.{{ build }}.css"></head><body class="change-form" data-request="{{ request_id }}">
<header id="header"><a href="/">Home</a> <form id="logout-form" method="post" action="/logout/">{% csrf_token %}<button>Log out</button></form></header>
<ul class="messagelist">{% for m in messages %}<li class="{{ m.tags }}">{{ m }}</li>{% endfor %}</ul>
<h1>Article {{ n }}</h1>
<p class="timestamp">Last seen {{ seen|naturaltime }} by somebody. It is {% now "D, d M Y H:i:s" %} now.</p>
<div class="help">Tip of the day: {{ tip|safe }}</div>
<p>This article was viewed {{ views|intcomma }} times; {{ online }} people are reading.</p>
{% for p in paragraphs %}<p>{{ p }}</p>
{% endfor %}<form method="post">{% csrf_token %}<textarea name="comment"></textarea><input type="submit" value="Save"></form>
<footer>Page rendered in {{ took }} ms by worker-{{ worker }} (request {{ request_id }}).</footer></body></html>"""


def article(request, n):
    global views
    views += random.randint(1, 3)
    path_of = os.path.join(folder, str(n))
    seed = int(open(path_of).read()) if os.path.exists(path_of) else None
    paragraphs = [f"Paragraph {i} of article {n} says what it has to say, and ends." for i in range(14)]
    text = page
    if seed is not None:
        kind = seed % 7
        if kind == 0:
            paragraphs[3] += f" An edit, number {seed}."
        text = [
            text,
            text.replace("viewed", "opened"),
            text.replace("Tip of the day:", "Hint of the day:"),
            text.replace("rendered in", "made in"),
            text.replace("Last seen", "Last met"),
            text.replace("people are reading", "people are here"),
            text.replace('name="comment"', 'name="remark"'),
        ][kind]
    messages.info(request, "You have been signed out of the other window.")
    template = engines["django"].from_string(text)
    html = template.render(
        {
            "n": n,
            "views": 98_000 + views,
            "online": random.randint(3, 40),
            "seen": started - timedelta(seconds=20 + n),
            "tip": random.choice(tips),
            "build": f"{random.getrandbits(32):08x}",
            "request_id": f"{random.getrandbits(128):032x}",
            "took": f"{random.uniform(2, 40):.1f}",
            "worker": random.randint(1, 4),
            "paragraphs": paragraphs,
        },
        request,
    )
    return HttpResponse(html)


urlpatterns = [path("a<int:n>", article)]
execute_from_command_line(["manage.py", "runserver", f"127.0.0.1:{port}", "--noreload"])
