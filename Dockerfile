# comic-narrator on a machine with no GPU.
#   docker build -t comic-narrator .
#   docker run --rm --network none -v "$PWD:/books" comic-narrator book.cbz -o book.mp4
FROM python:3.11-slim

WORKDIR /opt/comic-narrator
COPY pyproject.toml README.md LICENSE THIRD_PARTY.md ./
COPY comic_narrator comic_narrator
RUN pip install --no-cache-dir .

WORKDIR /books
ENTRYPOINT ["comic-narrator"]
