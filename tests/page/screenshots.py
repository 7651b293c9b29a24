#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""screenshots.py PAGE BROWSER FOLDER - take the pictures of docs/explorer.md."""
import sys
import urllib.parse

from browser import Browser

PAGE, BROWSER, FOLDER = sys.argv[1:]


def open_page(browser, source, target):
    state = urllib.parse.urlencode({"source": source, "target": target})
    browser.open(f"file://{PAGE}#{state}")
    browser.until("document.body.dataset.state === 'done'", 120)
    browser.value("document.querySelector('.bar').style.position = 'static'")


def take(browser, name):
    browser.value("new Promise((done) => setTimeout(done, 500))")
    browser.screenshot(f"{FOLDER}/{name}.png")


def main():
    with Browser(BROWSER, 1100, 860) as browser:
        open_page(browser, "[32,32] (block,*) onto 4",
                  "[32,32] (cyclic(4),cyclic(4)) onto 2x2")
        x, y, *_ = browser.place("#source-plot canvas")
        browser.mouse("mouseMoved", x + 216, y + 95)
        take(browser, "explorer")
        browser.resize(1100, 690)
        open_page(browser, "[90] (cyclic(3)) onto 6", "[90] (cyclic(5)) onto 9")
        for _ in range(8):
            browser.value("document.querySelector('#step-back').click()")
        browser.value("window.scrollBy(0, document.querySelector('#schedules-title')"
                      ".getBoundingClientRect().top - 34)")
        take(browser, "explorer_schedules")


main()
