"""Fetch pages and pictures of other sites whose addresses users chose, without trusting these sites.

``addresses`` decides which addresses the server may connect to, ``fetcher`` downloads, ``html_tags`` finds
tags in a page. No other module may request an address that a user chose.
"""
