#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""explorer.py PAGE TOOL BROWSER - the explorer in a browser: its numbers are those of the
tool, it says what is wrong where it is wrong, and it works with large problems and on
small screens.
"""
import json
import os
import random
import subprocess
import sys
import urllib.parse
import xml.etree.ElementTree as ElementTree
from concurrent.futures import ThreadPoolExecutor

from browser import Browser
from problems import a_pair

PAGE, TOOL, BROWSER = sys.argv[1:]
PROBLEMS = 2000 if os.environ.get("REDIST_TEST_LONG") else 200
ENTER, TAB, SHIFT = ("Enter", 13), ("Tab", 9), 8
failures = 0


def check(good, sentence):
    global failures
    if not good:
        failures += 1
        print("FAIL", sentence)


def tool(*words):
    """The output of the tool, or its complaint."""
    done = subprocess.run([TOOL, *words], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stdout if done.returncode == 0 else done.stderr


def expected(pair):
    """What the tool says of a problem: explain, and all schedules."""
    return tool("explain", *pair, "--json"), tool("schedule", *pair, "--schedule", "all",
                                                  "--json")


def url(**state):
    return f"file://{PAGE}#{urllib.parse.urlencode(state)}"


def settle(browser, limit=60):
    browser.until("['done', 'refused', 'failed'].includes(document.body.dataset.state)",
                  limit)
    return browser.value("document.body.dataset.state")


def ask(browser, source, target):
    browser.type("#source-text", source)
    browser.type("#target-text", target)
    browser.key(*ENTER)
    return settle(browser)


ROWS = """({
    explain: document.querySelector('#explain-json').textContent,
    rows: [...document.querySelectorAll('#schedule-rows tr')].map((row) =>
        [row.dataset.schedule, row.cells[2].textContent, row.cells[3].textContent]),
    leftOut: [...document.querySelectorAll('#left-out li')].map((li) => li.textContent),
    bounds: document.querySelector('#bounds').textContent,
    progress: document.querySelector('#schedule-progress').textContent,
    errors: [...document.querySelectorAll('.editor .error p')].map((p) => p.textContent),
    columns: [...document.querySelectorAll('.editor .error pre')].map((p) =>
        p.dataset.column) })"""


def number(text):
    digits = "".join(c for c in text if c.isdigit())
    return int(digits) if digits else None


# What the pictures show, whole: volumes, the grid, and the same grid counted from the
# owners of all elements on both sides, if each has one.
DRAWN = """(() => {
    const { engine } = window.explorer;
    const sides = [0, 1].map((side) => engine.describe(side));
    const all = sides.map(({ processes }) => ({ first: 0, step: 1, n: processes }));
    const volumes = all.map((range, side) => engine.volumes(side, range));
    const grid = [...engine.grid(...all)];
    if (sides.some(({ replicas }) => replicas > 1)) return { volumes, grid };
    const { extents } = sides[0];
    const ndims = extents.length;
    const counted = grid.map(() => 0);
    const dims = [ndims - 2, ndims - 1].map((d) => Math.max(d, -1));
    const range = (d) => ({ first: 0, step: 1, n: d < 0 ? 1 : extents[d] });
    for (let slice = 0; slice < (ndims > 2 ? extents[0] : 1); slice++) {
        const at = extents.map((_, d) => d === 0 ? slice : 0);
        const [from, to] = [0, 1].map((paired) =>
            engine.owners(0, paired, dims, at, ...dims.map(range)));
        from.forEach((rank, k) => {
            if (to[k] < 0) return;
            const p = engine.position(0, rank), q = engine.position(1, to[k]);
            counted[p * all[1].n + q]++;
        });
    }
    return { volumes, grid, counted };
})()"""


def compare_pictures(pair, drawn, explain):
    """Compare the numbers behind the pictures with the tool's, and with each other."""
    sent, received = drawn["volumes"]
    shown = {
        "elements_moved": sum(v["moved"] for v in sent),
        "elements_kept": sum(v["kept"] for v in sent),
        "messages": sum(v["messages"] for v in sent),
        "min_messages_sent": min(v["messages"] for v in sent),
        "max_messages_sent": max(v["messages"] for v in sent),
        "min_messages_received": min(v["messages"] for v in received),
        "max_messages_received": max(v["messages"] for v in received),
        "max_received_bytes": 8 * max(v["moved"] for v in received),
    }
    known = {name: explain[name] for name in shown}
    check(shown == known, f"{pair}: volumes {shown} instead of {known}")
    rows = [sum(drawn["grid"][p * len(received):(p + 1) * len(received)])
            for p in range(len(sent))]
    check(rows == [v["moved"] + v["kept"] for v in sent],
          f"{pair}: rows of the grid {rows}")
    check(drawn.get("counted", drawn["grid"]) == drawn["grid"],
          f"{pair}: the grid {drawn['grid']}, counted by owners {drawn.get('counted')}")


def compare(pair, state, page, explain, schedule):
    """Compare the page with what the tool says of the same problem."""
    status, output = explain
    if status:
        sentence = output.split(": ", 1)[1].strip()
        check(state == "refused", f"{pair}: the page takes it, the tool says {sentence}")
        check(any(sentence.endswith(error) for error in page["errors"]),
              f"{pair}: {page['errors']} instead of {sentence}")
        for column in page["columns"]:
            check(f"column {column}:" in sentence, f"{pair}: column {column}: {sentence}")
        return
    check(state == "done", f"{pair}: the page says {page['errors']}")
    check(page["explain"] == output, f"{pair}: explain is {page['explain']} "
          f"instead of {output}")
    compare_schedules(pair, page, schedule)


def compare_schedules(pair, page, schedule):
    status, output = schedule
    if status:
        check(page["progress"] in output and page["progress"], f"{pair}: {output}")
        return
    figures = json.loads(output)
    rows = [[f["schedule"], f["ns"], f["tc"]] for f in figures if f["applicable"]]
    check([[name, number(ns), number(tc)] for name, ns, tc in page["rows"]] == rows,
          f"{pair}: schedules {page['rows']} instead of {rows}")
    reasons = [f"{f['schedule']} {f['why']}" for f in figures if not f["applicable"]]
    check(page["leftOut"] == reasons, f"{pair}: {page['leftOut']} instead of {reasons}")
    made = next((f for f in reversed(figures) if f["applicable"]), None)
    if made:
        bounds = [number(part.split("=")[1].split(" in ")[0])
                  for part in page["bounds"].split(", ") if "=" in part]
        known = [made["delta"], made["w"]] + ([] if made["sb"] is None else [made["sb"]])
        check(bounds == known, f"{pair}: bounds {page['bounds']} instead of {known}")


def numbers_are_the_tools(browser, draw):
    pairs = [a_pair(draw) for _ in range(PROBLEMS)]
    good = 0
    with ThreadPoolExecutor(1) as pool:
        for pair, (explain, schedule) in zip(pairs, pool.map(expected, pairs)):
            state = ask(browser, *pair)
            compare(pair, state, browser.value(ROWS), explain, schedule)
            if state == "done":
                compare_pictures(pair, browser.value(DRAWN), json.loads(explain[1]))
            good += state == "done"
    check(good > PROBLEMS / 2, f"only {good} of {PROBLEMS} problems are pairs")


# What is offered behind a text. The last one is then completed.
OFFERS = {
    "[40] (": ["*", "block", "cyclic(", "gen_block(", "indirect("],
    "[40] (block) ": ["onto "],
    "[40] (block) onto 4 ": ["ranks ", "column-major", "section [", "axes (", "order ",
                             "halo ("],
    "[40] (block) onto 4 order ": ["column-major", "row-major", "("],
    "[40] (cyc": ["cyclic("],
}


def errors_stand_under_the_character(browser):
    ask(browser, "[40] (blokc) onto 4", "[40] (block) onto 4")
    mark = browser.value("document.querySelector('#source-editor mark').textContent")
    check(mark == "blokc", f"marked is {mark}")
    hint = browser.value("document.querySelector('#source-editor .error').textContent")
    check("did you mean block?" in hint, hint)
    for text, expected_words in OFFERS.items():
        browser.type("#source-text", text)
        offers = browser.value("[...document.querySelectorAll('#source-editor li')]"
                               ".map((li) => li.textContent)")
        check(offers == expected_words, f"behind {text} {offers} are offered")
    browser.key(*TAB)
    text = browser.value("document.querySelector('#source-text').value")
    check(text == "[40] (cyclic(", f"completed is {text}")
    ask(browser, "[40] (block) onto 4", "[41] (block) onto 4")
    hint = browser.value("document.querySelector('#target-editor .error').textContent")
    check("40" in hint and "41" in hint, f"of different extents the page says {hint}")


def pointing_says_where_an_element_goes(browser):
    ask(browser, "[90] (cyclic(3)) onto 6", "[90] (cyclic(5)) onto 9")
    browser.value("document.querySelector('#source-plot')"
                  ".scrollIntoView({block: 'center'})")
    x, y, width, _ = browser.place("#source-plot canvas")
    left, index = 46, 40
    across = (width - left - 2) * (index + 0.5) / 90
    browser.mouse("mouseMoved", x + left + across, y + 50)
    text = browser.value("document.querySelector('#readout').textContent")
    check(f"({index}) of process {index // 3 % 6}" in text
          and f"({index}) of process {index // 5 % 9}" in text, text)
    browser.value("document.querySelector('#source-plot canvas').focus()")
    for _ in range(2):
        browser.key("ArrowRight", 39, SHIFT)
    text = browser.value("document.querySelector('#readout').textContent")
    check("(42) of process 2, local (6)" in text, f"after two keys: {text}")


FRAMES = "await new Promise((done) => requestAnimationFrame(() => " \
         "requestAnimationFrame(done)));"


def a_refused_pair_leaves_the_last_one(browser):
    """What is still seen is moved, zoomed and pointed at, with the numbers it shows."""
    pair = ("[40,40] (block,block) onto 2x2", "[40,40] (block,*) onto 4")
    ask(browser, *pair)
    check(ask(browser, "[4000] (block) onto 4", pair[1]) == "refused", "no pair is taken")
    text = browser.value("(async () => { const plot = explorer.arrays.plots[0];"
                         f"plot.zoom(1.6); {FRAMES} plot.point({{ x: 1, y: 1 }});"
                         "return document.querySelector('#readout').textContent; })()")
    check("(7, 7) of process 0" in text, f"of {pair} the picture says {text}")


def a_frame_of_an_old_picture(browser):
    ask(browser, "[40,40] (block,block) onto 2x2", "[40,40] (block,*) onto 4")
    browser.value("(async () => { explorer.arrays.plots[0].zoom(1.6);"
                  "explorer.setTexts('[4000] (block) onto 4', '[4000] (cyclic) onto 4');"
                  f"{FRAMES} }})()")
    settle(browser)


def a_sampled_grid_says_one_message(browser):
    ask(browser, "[60000] (block) onto 20000", "[60000] (cyclic) onto 20000")
    text = browser.value("(async () => { const { plot } = explorer.traffic;"
                         "for (let k = 0; k < 20; k++) plot.zoom(1 / 1.6);"
                         f"{FRAMES} plot.point({{ x: 0, y: 0 }});"
                         "return document.querySelector('#traffic-readout').textContent;"
                         "})()")
    check(text.startswith("Process 0 keeps 1 element. Source 0 sends 2 elements in 2 "),
          f"of a message the page says {text}")


def keys_go_from_message_to_message(browser):
    """Beyond the window too, but not beyond the grid."""
    ask(browser, "[6000] (cyclic(3)) onto 600", "[6000] (cyclic(5)) onto 400")
    browser.value("document.querySelector('#traffic-plot canvas').focus()")
    right, left, down = ("ArrowRight", 39), ("ArrowLeft", 37), ("ArrowDown", 40)
    for keys, pair in [([right], (0, 0)), ([left], (0, 0)), ([right, down], (1, 1)),
                       (300 * [right], (1, 301)), (400 * [right], (1, 399))]:
        for key in keys:
            browser.key(*key, SHIFT)
        text = browser.value("document.querySelector('#traffic-readout').textContent")
        p, q = pair
        check(text.startswith(f"Process {p} keeps " if p == q else
                              f"Process {p} sends 0 elements to process {q}."),
              f"at {pair} the grid says {text}")


SAVED = """new Promise((done) => {
    const make = URL.createObjectURL;
    HTMLAnchorElement.prototype.click = () => {};
    URL.createObjectURL = (blob) => {
        URL.createObjectURL = make;
        blob.text().then((text) => done([blob.type, text]));
        return make(blob);
    };
    document.querySelector('#%s-plot .tools button[title$=%s]').click();
})"""


def pictures_are_saved(browser):
    ask(browser, "[90] (cyclic(3)) onto 6", "[90] (cyclic(5)) onto 9")
    for name in ("source", "traffic"):
        kind, text = browser.value(SAVED % (name, "SVG"))
        elements = ElementTree.fromstring(text).iter()
        names = {element.tag.split("}")[1] for element in elements}
        check(kind == "image/svg+xml" and {"svg", "rect", "text"} <= names,
              f"{name} as SVG is {kind} of {names}")
        kind, text = browser.value(SAVED % (name, "PNG"))
        check(kind == "image/png" and "PNG" in text[:8], f"{name} as PNG is {kind}")


def other_pages(browser):
    pair = ("[800,800] (cyclic(100),cyclic(100)) onto 2x4",
            "[800,800] (cyclic(100),cyclic(100)) onto 4x2")
    browser.open(url(source=pair[0], target=pair[1], tab="relabel"))
    settle(browser)
    state = browser.value("explorer.openTab('relabel'), document.body.dataset.state")
    check(state == "working", f"relabel keeps the page waiting until it is {state}")
    settle(browser)
    text = browser.value("document.querySelector('#relabel-json').textContent")
    check(text == tool("explain", *pair, "--relabel", "--json")[1], f"relabel: {text}")
    browser.value("document.querySelector('#use-proposal').click()")
    text = browser.value("document.querySelector('#target-text').value")
    check(text.endswith("ranks 0,1,4,5,2,3,6,7"), f"the proposal used is {text}")
    counts = "14,3,0,21,9,2,6,8"
    browser.value("location.hash = '#' + new URLSearchParams({tab: 'balance',"
                  f"method: 'B', counts: '{counts}'}})")
    browser.until("document.querySelector('#balance-json').textContent.includes('\"B\"')")
    text = browser.value("document.querySelector('#balance-json').textContent")
    check(text == tool("balance", "--counts", counts, "--method", "B", "--json")[1],
          f"balance: {text}")
    browser.type("#counts", "14,3,x")
    state = browser.value("document.body.dataset.state")
    check(state == "working", f"balance keeps the page waiting until it is {state}")
    settle(browser)
    text = browser.value("document.querySelector('#balance-error mark').textContent")
    check(text == "x", f"marked in the counts is {text}")
    for weights in ("1,2,3", ""):
        browser.value("location.hash = '#' + new URLSearchParams({tab: 'balance',"
                      f"counts: '7,8,9', weights: '{weights}'}})")
        browser.until("explorer.kept === location.hash")
        text = browser.value("document.querySelector('#weights').value")
        check(text == weights, f"of the weights {weights} the page reads {text}")
    browser.open("about:blank")
    browser.open(url(tab="balance", counts="200000*3,5"))
    check(settle(browser) == "done", "no balance of 200001 processes")


def a_million_processes(browser):
    pair = ("[12000000] (cyclic(3)) onto 1000000", "[12000000] (cyclic(4)) onto 1000000")
    browser.open(url(source=pair[0], target=pair[1]))
    browser.until("document.querySelector('#legend').textContent.includes('999')")
    browser.value("document.querySelector('#traffic-plot canvas').focus()")
    for _ in range(8):
        browser.key("-", 189)
    # a frame is drawn while the other thread works
    drawn = browser.value("new Promise((done) => requestAnimationFrame(() =>"
                          "requestAnimationFrame(() => done(true))))")
    check(drawn, "nothing is drawn")
    browser.until("document.querySelector('#schedule-progress').textContent === ''", 120)
    schedule = tool("schedule", *pair, "--schedule", "all", "--json")
    compare_schedules(pair, browser.value(ROWS), schedule)
    browser.until("document.querySelectorAll('#charts canvas').length > 0")


def the_end_of_a_huge_array(browser):
    browser.open(url(source=f"[{2**60}] (cyclic(5)) onto 4",
                     target=f"[{2**60}] (block) onto 4"))
    browser.until("document.querySelector('#legend').textContent.includes('3')")
    drawn = browser.value("""(async () => {
        const plot = explorer.arrays.plots[0];
        const frame = () => new Promise((done) => requestAnimationFrame(done));
        for (let k = 0; k < 100; k++) plot.zoom(1 / 1.6);
        plot.drawing.across.move(-1e9);
        const place = plot.canvas.getBoundingClientRect();
        const end = { clientX: place.right - 3, clientY: place.top + 30 };
        for (let k = 0; k < 100; k++) {
            plot.zoom(1.6, end);
            await frame();
        }
        await frame();
        return plot.drawing.cached.own.length;
    })()""")
    check(drawn > 0, "nothing is drawn at the end of a huge array")


def a_small_screen(browser):
    browser.resize(360, 780, 2, True)
    for tab in ("explore", "relabel", "balance"):
        browser.open(url(tab=tab))
        settle(browser)
        wide = browser.value("document.documentElement.scrollWidth")
        check(wide <= 360, f"{tab}: {wide} pixels wide on a screen of 360")


def the_address_holds_the_state(browser):
    pair = ("[60] (cyclic(4)) onto 5", "[60] (cyclic(3)) onto 5")
    ask(browser, *pair)
    address = browser.value("location.href")
    browser.open("about:blank")
    browser.open(address)
    settle(browser)
    texts = browser.value("[...document.querySelectorAll('.editor textarea')]"
                          ".map((field) => field.value)")
    check(tuple(texts) == pair, f"of {address} the page reads {texts}")
    pens = browser.value("document.querySelectorAll('canvas').length")
    check(pens >= 4, f"{pens} pictures")


def main():
    seed = int(os.environ.get("REDIST_TEST_SEED") or random.randrange(1 << 31))
    print(f"REDIST_TEST_SEED={seed}")
    with Browser(BROWSER) as browser:
        browser.open(url())
        check(settle(browser) == "done", "the page does not begin")
        errors_stand_under_the_character(browser)
        pointing_says_where_an_element_goes(browser)
        a_refused_pair_leaves_the_last_one(browser)
        a_frame_of_an_old_picture(browser)
        a_sampled_grid_says_one_message(browser)
        keys_go_from_message_to_message(browser)
        pictures_are_saved(browser)
        the_address_holds_the_state(browser)
        numbers_are_the_tools(browser, random.Random(seed))
        other_pages(browser)
        a_million_processes(browser)
        the_end_of_a_huge_array(browser)
        a_small_screen(browser)
        for complaint in browser.complaints:
            check(False, f"the browser complains: {complaint}")
    print("FAIL" if failures else "PASS")
    return bool(failures)


sys.exit(main())
