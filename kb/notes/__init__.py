"""The parts of a note: lines, sections, fences, links, front matter."""
