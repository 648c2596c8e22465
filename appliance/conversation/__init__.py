"""The core: text in, text and actions out. It knows no channel, no audio, no web and no database."""
