"""The compiler's IR: text to operations, what each operation means, and how values hang together."""
