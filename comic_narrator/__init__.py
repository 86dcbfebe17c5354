"""comic-narrator: a comic goes in, a narrated film comes out, made wholly on the user's machine."""

from importlib.metadata import version

__version__ = version("comic-narrator")
