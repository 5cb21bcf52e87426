#!/usr/bin/env python3
"""usage: page_in_browser.py PLUMB FOLDER [--axe AXE.min.js]

Opens pages of `plumb report --html` in headless Chromium (Debian: chromium chromium-driver python3-selenium) and holds
them to docs/ci.md: 5 000 nodes are ready in 1 s and 20 000 in 2 s from navigation on (medians of 5), rows and verdicts
are those of the JSON, sorting, filter, paging, graph and both copies work by keys, nothing is requested and no error is
logged, a hostile name runs nothing, and without scripts what failed is in the text. With axe-core 4 (npm) nothing
serious is found, light and dark. Screenshots of 1280 and 360 pixels go to FOLDER. Ends with 77 without Chromium.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import time

try:
    from selenium import webdriver
    from selenium.common.exceptions import WebDriverException
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
except ImportError:
    print("no selenium (Debian: python3-selenium chromium chromium-driver)")
    sys.exit(77)

HOSTILE = "a</script>\"'&::error::%0A]]><img src=x onerror=document.title='ran'>"
POLICY = 'schema = "plumb-policy/1"\n[[rule]]\nid = "exact"\nmatch = {{ node = {} }}\nrequire = {{ max_abs = 0.0 }}\n'


def graph_of(count):
    """A chain of softmaxes in layers, of which the last but one has a name that is markup."""
    nodes, before = [], "x"
    for n in range(count):
        label = HOSTILE if n == count - 2 else f"layer{n // 48}/block{n // 8 % 6}/softmax{n % 8}"
        nodes.append({"label": label, "op": "softmax", "inputs": [before]})
        before = label
    return {"format": "plumb.graph/1", "inputs": {"x": {"type": "f32[2, 16]"}}, "nodes": nodes, "results": [before]}


def make_page(plumb, folder, count):
    graph, policy = folder / f"{count}.json", folder / "exact.toml"
    graph.write_text(json.dumps(graph_of(count)))
    policy.write_text(POLICY.format(json.dumps("layer0/block0/softmax1")))
    page, report = folder / f"{count}.html", folder / f"{count}.report.json"
    ended = subprocess.run([plumb, "verify", graph, "--candidate", "cpu", "--quiet", "--policy", policy, "--html", page,
                            "--json", report, "--force"], check=False, stdout=subprocess.DEVNULL)
    assert ended.returncode in (0, 1), ended
    return page, json.loads(report.read_text())


def browser(dark=False, scripts=True, width=1280):
    options = webdriver.ChromeOptions()
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", f"--window-size={width},900"):
        options.add_argument(flag)
    if dark:
        options.add_argument("--force-prefers-color-scheme=dark")
        options.add_argument("--blink-settings=preferredColorScheme=0")
    if not scripts:
        options.add_experimental_option("prefs", {"profile.managed_default_content_settings.javascript": 2})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(options=options)


def ready(driver, page):
    """Milliseconds from navigation until the page says that it is ready."""
    began = time.monotonic()
    driver.get(page.as_uri())
    while driver.execute_script("return document.documentElement.dataset.ready") is None:
        time.sleep(0.005)
    took = 1000 * (time.monotonic() - began)
    assert driver.execute_script("return document.documentElement.dataset.ready") == "yes"
    return took


def check_requests(driver, page):
    for entry in driver.get_log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            url = message["params"]["request"]["url"]
            assert url.split("#")[0] in (page.as_uri(), "about:blank") or url.startswith("data:"), url
    errors = [one for one in driver.get_log("browser") if one["level"] == "SEVERE"]
    assert not errors, errors


def type_query(driver, text):
    query = driver.find_element(By.ID, "query")
    query.send_keys(Keys.CONTROL, "a")
    query.send_keys(Keys.DELETE)
    query.send_keys(text or " ")
    return driver.find_element(By.ID, "count").text


def check_by_keys(driver, report):
    nodes = [node for case in report["cases"] for node in case["nodes"]]
    shown = driver.find_elements(By.CSS_SELECTOR, "#rows tr")
    assert len(shown) == min(200, len(nodes)), len(shown)
    assert f"of {len(nodes)}" in type_query(driver, "")
    failed = [node for node in nodes if node["verdict"] == "failed"]
    assert f"of {len(failed)}," in type_query(driver, "s:failed"), "filter"
    assert "#q=s%3Afailed" in driver.current_url
    type_query(driver, "")
    if len(nodes) > 200:
        driver.find_element(By.ID, "after").send_keys(Keys.ENTER)
        assert driver.find_element(By.ID, "count").text.startswith("201 to ")
    head = driver.find_element(By.CSS_SELECTOR, "#table th[data-key=ratio] button")
    head.send_keys(Keys.ENTER)
    sorted_as = driver.find_element(By.CSS_SELECTOR, "#table th[data-key=ratio]").get_attribute("aria-sort")
    assert sorted_as == "descending", sorted_as
    driver.find_element(By.CSS_SELECTOR, "#rows button").send_keys(Keys.ENTER)
    assert driver.switch_to.active_element.get_attribute("id") == "node-title"
    for button in driver.find_elements(By.CSS_SELECTOR, "#node p button"):
        button.send_keys(Keys.ENTER)
        time.sleep(0.1)
        assert driver.find_element(By.ID, "text").text
    groups = driver.find_elements(By.CSS_SELECTOR, "g.box.group")
    boxes = len(driver.find_elements(By.CSS_SELECTOR, "g.box"))
    assert boxes <= 250, boxes
    if groups:
        groups[0].send_keys(Keys.ENTER)
        assert len(driver.find_elements(By.CSS_SELECTOR, "g.box")) != boxes, "a group did not open"
    assert driver.title.startswith("plumb: "), driver.title


def check_axe(driver, axe):
    driver.execute_script(axe)
    found = driver.execute_async_script("axe.run().then(arguments[arguments.length - 1])")["violations"]
    grave = [one for one in found if one["impact"] in ("serious", "critical")]
    assert not grave, [(one["id"], one["nodes"][0]["html"][:200]) for one in grave]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("plumb")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--axe", type=pathlib.Path)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    try:
        driver = browser()
    except WebDriverException as problem:
        print(f"no Chromium: {problem.msg}")
        return 77
    for count, limit in ((60, 1000), (5000, 1000), (20000, 2000)):
        page, report = make_page(args.plumb, args.folder, count)
        took = statistics.median(ready(driver, page) for _ in range(5))
        size = page.stat().st_size
        print(f"{count} nodes: {size / 1e6:.2f} MB, ready in {took:.0f} ms")
        assert took <= limit and size <= (2_000_000 if count <= 5000 else 5_000_000)
        if count < 20000:
            check_by_keys(driver, report)
        check_requests(driver, page)
    driver.quit()
    small = args.folder / "60.html"
    for dark in (False, True):
        for width in (1280, 360):
            driver = browser(dark, width=width)
            ready(driver, small)
            driver.save_screenshot(str(args.folder / f"page_{width}_{'dark' if dark else 'light'}.png"))
            if args.axe:
                check_axe(driver, args.axe.read_text(encoding="utf-8"))
            driver.quit()
    shots = [path.read_bytes() for path in sorted(args.folder.glob("page_*.png"))]
    assert len(set(shots)) == 4 and min(map(len, shots)) > 10_000, "screenshots are alike, or blank"
    driver = browser(scripts=False)
    driver.get(small.as_uri())
    assert "layer0/block0/softmax1" in driver.find_element(By.ID, "plain").text
    driver.quit()
    print("all holds")
    return 0


if __name__ == "__main__":
    sys.exit(main())
