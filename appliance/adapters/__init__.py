"""Channels: each turns what reaches it into turns of the conversation, and replies into what it can send."""
