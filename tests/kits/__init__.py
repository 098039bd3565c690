"""What tests share: one module a subject, imported as `kits.subject`."""
