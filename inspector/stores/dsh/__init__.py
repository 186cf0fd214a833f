"""The sessions of DeepSeek Harness."""
