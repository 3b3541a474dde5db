"""Scrapy's crawler in the frame of program.mjs: "ready", a line on standard input, then the pages as one line of JSON."""

import json
import re
import sys
from urllib.parse import urljoin

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor

task = json.loads(sys.argv[1])
site = urljoin(task["url"], ".")
pages = []


class Site(scrapy.Spider):
    name = "site"
    start_urls = [task["url"]]
    links = LinkExtractor(allow="^" + re.escape(site), deny_extensions=[])

    def parse(self, response):
        if not isinstance(response, HtmlResponse):
            return
        pages.append(response.url)
        for link in self.links.extract_links(response):
            yield scrapy.Request(link.url)


process = CrawlerProcess(
    {
        "CONCURRENT_REQUESTS": task["concurrency"],
        "CONCURRENT_REQUESTS_PER_DOMAIN": task["concurrency"],
        "LOG_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
        "RETRY_ENABLED": False,
        "ROBOTSTXT_OBEY": True,
        "REQUEST_FINGERPRINTER_IMPLEMENTATION": "2.7",
    }
)
sys.stdout.write("ready\n")
sys.stdout.flush()
sys.stdin.readline()
process.crawl(Site)
process.start()
sys.stdout.write(json.dumps(pages) + "\n")
sys.stdout.flush()
sys.stdin.readline()
