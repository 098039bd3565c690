"""Operations in, files out, each name safe and each change whole; and back."""
