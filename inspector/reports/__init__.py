"""The answers as documents: plain values for JSON, and text for people."""
