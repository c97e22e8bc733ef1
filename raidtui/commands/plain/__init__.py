"""The wizard as questions, line by line: for braille displays, speech, serial consoles, and programs that answer.

It asks what the screens ask, in their words, and draws nothing: no color, no cursor, no line that changes. Loads
neither Textual nor Rich.
"""
