"""The voice channel: LiveKit's AgentSession around the conversation, over any line of 20 ms frames."""
