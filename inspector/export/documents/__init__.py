"""The JSON document of each answer, as plain values. Tokens are rough unless a key says otherwise."""
