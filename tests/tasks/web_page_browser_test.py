"""The embedded server's page in a browser: typed, read, by keys alone."""

import contextlib
import shutil

import numpy as np
import pytest
import requests
from playwright import sync_api

from elmo_tf.serving.bearer_token import BearerToken
from tasks.exporting import export
from tests.elmo_tf.serving.running_server import RunningServer
from tests.tasks import tiny_exports

TASKS = ("ner", "squad", "srl", "sst", "snli", "cloze", "coref")
CONTEXT = "It met the dog. The dog works & <b>it</b> met 𝒳 there."
# Milliseconds, on a machine that does other things too.
_PATIENCE = 120_000
PHONE = {"width": 390, "height": 844}

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def chromium():
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("there is no Chromium here")
    sync_api.expect.set_options(timeout=_PATIENCE)
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path,
            args=[
                "--no-sandbox",
                "--disable-gpu",
                "--disable-background-networking",
                "--no-first-run",
            ],
        )
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def paths(chromium, tmp_path_factory):
    """The models' folders; only made where there is a browser for them."""
    folder = tmp_path_factory.mktemp("models")
    tiny_exports.export_bilm(folder / "bilm")
    found = {"mini": "mini"}
    for name in TASKS:
        (folder / f"{name}_words").mkdir()
        found[name] = folder / name
        export(
            lambda name=name: tiny_exports.make_task_model(
                name, folder / "bilm", folder / f"{name}_words"
            ),
            str(found[name]),
            "whitespace" if name == "squad" else "penn_treebank",
        )
    return found


@pytest.fixture(scope="module")
def running(paths):
    with RunningServer(paths, {"timeout": 300.0}) as running:
        yield running


@pytest.fixture
def open_page(chromium, running):
    """Opens the page; at the end nothing may have gone wrong in it."""
    with contextlib.ExitStack() as stack:

        def open_page(server=running, may_fail=None, **options):
            context = stack.enter_context(chromium.new_context(**options))
            page = context.new_page()
            page.set_default_timeout(_PATIENCE)
            complaints = []
            hosts = set()
            page.on(
                "console",
                lambda message: (
                    complaints.append(message.text)
                    if message.type in ("error", "warning")
                    else None
                ),
            )
            page.on("pageerror", lambda error: complaints.append(str(error)))
            page.on(
                "request",
                lambda request: hosts.add(request.url.split("/")[2]),
            )
            # It may have ended before the check.
            host = server.rest
            page.goto(f"http://{host}/")

            def check():
                found = [
                    text
                    for text in complaints
                    if may_fail is None or may_fail not in text
                ]
                assert found == []
                assert hosts == {host}

            stack.callback(check)
            return page

        yield open_page


def choose_model(page, model):
    texts = page.locator("#model option")
    sync_api.expect(texts.first).to_be_attached()
    (place,) = [
        number
        for number, text in enumerate(texts.all_inner_texts())
        if text.startswith(f"{model},")
    ]
    page.select_option("#model", index=place)


def ready(page):
    """Waits for the answer."""
    sync_api.expect(page.locator("#results")).to_have_attribute(
        "aria-busy", "false"
    )


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)


def focused(page):
    """What has the focus: its label, or its text."""
    return page.evaluate(
        "() => { const it = document.activeElement;"
        " return (it.labels?.[0] ?? it).textContent.trim(); }"
    )


def test_neighbours_by_keys_alone(open_page):
    page = open_page()
    sync_api.expect(page.locator("#model")).to_be_visible()
    press(page, "Tab")
    assert focused(page) == "To the form"
    press(page, "Tab")
    assert focused(page) == "Model"
    page.keyboard.type("mini")
    press(page, "Tab")
    assert focused(page) == "Sentence"
    press(page, "ControlOrMeta+a")
    page.keyboard.type("He rowed to the bank.")
    press(page, "Enter")
    words = page.get_by_role("radio")
    sync_api.expect(words).to_have_count(6)
    ready(page)
    assert focused(page) == "Sentence"
    names = ["Text to search", "Only other occ", "Find neighbours", "He"]
    for name in names:
        press(page, "Tab")
        assert focused(page).startswith(name)
    press(page, *["ArrowRight"] * 4)
    assert focused(page) == "bank"
    sections = page.locator(".layers section")
    sync_api.expect(sections).to_have_count(3)
    assert sections.locator("h3").all_inner_texts() == [
        "Token layer",
        "LSTM layer 1",
        "LSTM layer 2",
    ]
    assert sections.first.locator("mark").all_inner_texts() == ["bank"] * 8
    assert sections.first.locator(".number").first.inner_text() == "1.000"
    status = page.get_by_role("status").first
    sync_api.expect(status).to_contain_text("bank: in the top layer nearest")
    # Out again, there is no trap.
    for _ in range(20):
        press(page, "Tab")
        if focused(page) == "To the form":
            break
    else:
        raise AssertionError(focused(page))


def test_neighbours_in_a_text_of_ones_own(open_page):
    page = open_page()
    choose_model(page, "mini")
    page.get_by_label("Sentence", exact=True).fill("A bank .")
    page.get_by_label("Text to search").fill(
        "The bank <i>was</i> closed. Some other words."
    )
    page.get_by_label("Only other occurrences").check()
    page.get_by_role("button", name="Find neighbours").click()
    page.get_by_role("radio").nth(1).check(force=True)
    marks = page.locator(".layers section").last.locator("mark")
    sync_api.expect(marks).to_have_count(1)
    assert marks.all_inner_texts() == ["bank"]
    # What looks like HTML is text.
    assert "was" in page.locator(".layers").inner_text()
    assert page.locator(".layers i").count() == 0
    page.get_by_role("radio").nth(0).check(force=True)
    sync_api.expect(page.locator(".layers")).to_contain_text(
        "There is none in the text."
    )


def test_an_answer_and_its_attention(open_page):
    page = open_page()
    choose_model(page, "squad")
    page.get_by_label("Context", exact=True).fill(CONTEXT)
    page.get_by_label("Question", exact=True).fill("What met the dog?")
    page.keyboard.press("Enter")
    ready(page)
    answers = page.locator(".answers label")
    assert answers.count() > 1
    # All of it is there, as text; the answer is marked in it.
    context = page.locator("p.context")
    assert context.text_content() == CONTEXT
    for place in range(answers.count()):
        answers.nth(place).click()
        text = answers.nth(place).locator("bdi").inner_text()
        assert page.locator("mark.answer").text_content() == text
        assert context.text_content() == CONTEXT
    scores = answers.locator(".number").all_inner_texts()
    assert scores == sorted(scores, reverse=True)
    # By keys: the question's words light the context up.
    rows = page.locator(".map label")
    assert rows.all_inner_texts() == [
        *("What", "met", "the", "dog", "?", "whole question"),
    ]

    def lights():
        return page.locator(".context .lit").evaluate_all(
            "all => all.map(it => +it.style.getPropertyValue('--share'))"
        )

    assert set(lights()) == {0}
    page.locator(".map input").first.focus()
    press(page, "Space")
    first = lights()
    assert max(first) > 0
    press(page, "ArrowDown")
    assert focused(page) == "met"
    second = lights()
    assert second != first
    sync_api.expect(page.locator(".readout")).to_contain_text(
        "met: most attention from "
    )
    # Pointing at a row shows it as long as it lasts.
    rows.nth(0).hover()
    assert lights() == first
    page.mouse.move(0, 0)
    assert lights() == second
    page.locator(".map svg").hover()
    sync_api.expect(page.locator(".readout")).to_contain_text(" × ")


def test_tags(open_page, running):
    sentence = "the <b>dog</b> works"
    outputs = requests.post(
        f"http://{running.rest}/v1/models/ner:predict",
        json={"signature_name": "default", "inputs": [sentence]},
        timeout=300,
    ).json()["outputs"]
    page = open_page()
    choose_model(page, "ner")
    page.get_by_label("Sentence", exact=True).fill(sentence)
    page.keyboard.press("Enter")
    ready(page)
    shown = page.locator(".tagged li bdi").all_inner_texts()
    assert " ".join(shown).split() == outputs["tokens"][0]
    labels = page.locator(".tag .label").all_inner_texts()
    assert set(labels) == {
        tag.partition("-")[2] for tag in outputs["tags"][0] if tag != "O"
    }
    page.get_by_text("How sure of each word").click()
    rows = page.locator("tbody tr")
    sync_api.expect(rows.first).to_be_visible()
    assert rows.locator("th").all_inner_texts() == outputs["tokens"][0]
    assert (
        rows.locator("td:nth-child(2)").all_inner_texts()
        == (outputs["tags"][0])
    )


def test_roles(open_page):
    page = open_page()
    choose_model(page, "srl")
    page.get_by_label("Sentence", exact=True).fill("it met the dog")
    page.keyboard.press("Enter")
    words = page.get_by_role("radio")
    sync_api.expect(words).to_have_count(4)
    ready(page)
    sync_api.expect(page.locator(".tagged")).to_have_count(0)
    words.first.focus()
    press(page, "Space", "ArrowRight")
    ready(page)
    sync_api.expect(page.locator(".tagged")).to_contain_text("met")
    assert focused(page) == "met"


def check_label(page, *expected):
    """Checks that the best of the expected labels is told."""
    names = page.locator("tbody th").all_inner_texts()
    assert names == [*expected]
    shares = [float(n) for n in page.locator("tbody .number").all_inner_texts()]
    assert sum(shares) == pytest.approx(1, abs=0.01)
    best = names[shares.index(max(shares))]
    sync_api.expect(page.locator("h2")).to_have_text(f"Label: {best}")


def test_a_label(open_page):
    page = open_page()
    choose_model(page, "sst")
    page.get_by_label("Sentence", exact=True).press("Enter")
    ready(page)
    check_label(
        page,
        "very negative",
        "negative",
        "neutral",
        "positive",
        "very positive",
    )


def test_a_pair(open_page):
    page = open_page()
    choose_model(page, "snli")
    page.get_by_label("Premise").fill("The dog works.")
    page.get_by_label("Hypothesis").fill("<i>it</i> works")
    page.keyboard.press("Enter")
    ready(page)
    check_label(page, "entailment", "neutral", "contradiction")


def test_a_missing_entity(open_page):
    page = open_page()
    choose_model(page, "cloze")
    context = "@entity1 met the dog . it met @entity7 <i> . @entity1 works"
    page.get_by_label("Context, with its entities").fill(context)
    page.get_by_label("Question, with @placeholder").fill("@placeholder works")
    page.keyboard.press("Enter")
    ready(page)
    names = page.locator("tbody th").all_inner_texts()
    assert sorted(names) == ["@entity1", "@entity7"]
    shares = [float(n) for n in page.locator("tbody .number").all_inner_texts()]
    assert sum(shares) == pytest.approx(1, abs=0.01)
    best = names[shares.index(max(shares))]
    sync_api.expect(page.locator("h2")).to_have_text(f"Answer: {best}")
    assert page.locator("p.context").inner_text().split() == context.split()
    marks = page.locator("mark.answer").all_inner_texts()
    assert marks == [best] * context.split().count(best)


def test_clusters(open_page):
    page = open_page()
    choose_model(page, "coref")
    page.get_by_label("Text, a sentence in each line").fill(
        "The dog can't meet it.\n \nIt works & <b>it</b> met 中文"
    )
    with page.expect_response("**/*:predict") as response:
        page.get_by_role("button", name="Resolve coreference").click()
    ready(page)
    sent = response.value.request.post_data_json["inputs"]
    tokens = "The dog can't meet it . It works & < b > it < / b > met 中文"
    tokens = tokens.split()
    assert sent["tokens"] == [tokens]
    assert sent["sentence_lengths"] == [[6, 13]]
    outputs = response.value.json()["outputs"]
    clusters = {}
    spans = np.transpose(
        [outputs[name][0] for name in ("first", "last", "cluster")]
    ).tolist()
    for first, last, cluster in sorted(spans, key=lambda it: (it[0], -it[1])):
        if cluster >= 0:
            words = " ".join(tokens[first : last + 1])
            clusters.setdefault(cluster, []).append(words)
    assert clusters
    found = [
        item.locator("bdi").all_inner_texts()
        for item in page.locator(".clusters li").all()
    ]
    assert found == list(clusters.values())
    # All words are there, between the numbers of the clusters.
    lines = page.locator(".marked p")
    labels = lines.locator(".label")
    assert labels.count() > 0
    labels.evaluate_all("all => all.forEach(it => it.remove())")
    assert lines.count() == 2
    assert " ".join(lines.all_inner_texts()).split() == tokens
    page.get_by_label("Text, a sentence in each line").fill("\n \n")
    page.get_by_role("button", name="Resolve coreference").click()
    sync_api.expect(page.locator("#results")).to_have_text(
        "There are no words in this text."
    )


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone(open_page, scheme):
    page = open_page(viewport=PHONE, color_scheme=scheme)
    background = page.evaluate(
        "getComputedStyle(document.body).backgroundColor"
    )
    light = background == "rgb(255, 255, 255)"
    assert light == (scheme == "light")
    for model in ("mini", *TASKS):
        choose_model(page, model)
        page.locator("#ask button").click()
        sync_api.expect(page.locator("#results h2")).to_be_visible()
        ready(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        # Each field says what it is.
        assert page.locator("input, select, textarea").evaluate_all(
            "all => all.every(it => it.labels.length && "
            "it.labels[0].textContent.trim())"
        )


def test_errors_in_words(open_page):
    page = open_page(may_fail="the server responded with a status of 400")
    choose_model(page, "mini")
    page.get_by_label("Sentence", exact=True).fill("word " * 101)
    page.keyboard.press("Enter")
    alert = page.get_by_role("alert")
    sync_api.expect(alert).to_contain_text("found 101 words and punctuation")
    ready(page)
    # It goes on.
    page.get_by_label("Sentence", exact=True).fill("word")
    page.keyboard.press("Enter")
    sync_api.expect(page.get_by_role("radio")).to_have_count(1)
    sync_api.expect(alert).to_be_empty()


def test_busy_and_gone(open_page):
    page = open_page(may_fail="net::ERR_")
    choose_model(page, "sst")
    waiting = []
    page.route("**/*:predict", lambda route: waiting.append(route))
    with page.expect_request("**/*:predict"):
        page.get_by_label("Sentence", exact=True).press("Enter")
    status = page.get_by_role("status").first
    sync_api.expect(status).to_have_text("Working …")
    sync_api.expect(page.locator("#results")).to_have_attribute(
        "aria-busy", "true"
    )
    waiting.pop().abort()
    sync_api.expect(page.get_by_role("alert")).to_contain_text(
        "The server cannot be reached."
    )
    sync_api.expect(status).to_be_empty()


def test_a_version_that_was_exchanged(open_page):
    page = open_page(may_fail="the server responded with a status of 404")
    choose_model(page, "sst")

    def is_gone(route):
        route.fulfill(status=404, json={"error": "Servable not found"})

    page.route("**/versions/1:predict", is_gone)
    page.route(
        "**/models.json",
        lambda route: route.fulfill(
            json={
                "models": [
                    {
                        "name": "sst",
                        "version": 2,
                        "kind": "label",
                        "attention": False,
                        "signatures": ["default"],
                    }
                ]
            }
        ),
    )
    page.route(
        "**/versions/2:predict",
        lambda route: route.fulfill(
            json={"outputs": {"label": ["new"], "probabilities": [[1.0]]}}
        ),
    )
    page.get_by_label("Sentence", exact=True).press("Enter")
    sync_api.expect(page.locator("h2")).to_have_text("Label: new")
    sync_api.expect(page.locator("#about")).to_have_text("version 2")


def test_a_token(open_page, paths):
    address = {"token": BearerToken("secret")}
    with RunningServer({"sst": paths["sst"]}, None, address) as server:
        page = open_page(server, "the server responded with a status of 401")
        field = page.get_by_label("Token", exact=True)
        sync_api.expect(field).to_be_visible()
        sync_api.expect(page.locator("#model")).to_be_hidden()
        alert = page.get_by_role("alert")
        sync_api.expect(alert).to_contain_text("The server wants a valid token")
        field.fill("wrong")
        with page.expect_response("**/models.json") as response:
            page.keyboard.press("Enter")
        assert response.value.status == 401
        sync_api.expect(alert).to_contain_text("The server wants a valid token")
        field.fill("secret")
        page.keyboard.press("Enter")
        sync_api.expect(page.locator("#model")).to_be_focused()
        sync_api.expect(field).to_be_hidden()
        page.get_by_label("Sentence", exact=True).press("Enter")
        sync_api.expect(page.locator("h2")).to_contain_text("Label: ")
        # It is kept nowhere.
        assert page.evaluate(
            "[localStorage.length, sessionStorage.length, document.cookie]"
        ) == [0, 0, ""]
        page.reload()
        sync_api.expect(page.get_by_label("Token", exact=True)).to_be_visible()
