"""What a recall or a look at one gave in, text for a person out."""
