"""The voice channel: LiveKit's AgentSession around the conversation, over any line that gives 20 ms frames."""
