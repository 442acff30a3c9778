"""A preprocessor of mdBook: links that lead out of the book.

Pages link to each other and to files of the repository, as GitHub shows them. In the book a link to
a file that is no part of it leads to the repository, if `git-repository-url` is set in book.toml;
otherwise the file's path stands behind the text, or in place of the file's name.
A page README.md is `index.md` in the book.
"""

import json
import posixpath
import re
import sys
from pathlib import Path

LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)\s#]+)(#[^)\s]*)?\)")


def chapters(items):
    """All chapters, with those inside others."""
    for item in items:
        if isinstance(item, dict) and "Chapter" in item:
            yield item["Chapter"]
            yield from chapters(item["Chapter"]["sub_items"])


def main():
    if sys.argv[1:2] == ["supports"]:
        return
    context, book = json.load(sys.stdin)
    docs = Path(context["root"])
    html = context["config"].get("output", {}).get("html", {})
    repository = html.get("git-repository-url")
    pages = list(chapters(book.get("items") or book["sections"]))
    paths = {page["source_path"]: page["path"] for page in pages}

    def lead(folder, match):
        text, target, heading = match.groups()
        path = posixpath.normpath(posixpath.join(folder, target))
        is_copied = (docs / path).is_file() and not path.endswith((".md", ".py", ".toml"))
        if "://" in target or (is_copied and not path.startswith("..")):
            return match[0]
        if path in paths:
            return f"[{text}]({posixpath.relpath(paths[path], folder or '.')}{heading or ''})"
        path = posixpath.normpath(posixpath.join(docs.name, path))
        if repository:
            return f"[{text}]({repository}/blob/main/{path})"
        is_name = text.strip("`/") in (path, posixpath.basename(path))
        return f"`{path}`" if is_name else f"{text} (`{path}`)"

    for page in pages:
        folder = posixpath.dirname(page["path"] or "")
        blocks = re.split(r"(^```.*?^```$)", page["content"], flags=re.DOTALL | re.MULTILINE)
        for i in range(0, len(blocks), 2):
            blocks[i] = LINK.sub(lambda match: lead(folder, match), blocks[i])
        page["content"] = "".join(blocks)
    json.dump(book, sys.stdout)


main()
