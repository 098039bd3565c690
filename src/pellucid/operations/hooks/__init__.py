"""What an agent's program tells of its sessions in; what it is told then, and what is kept of them, out."""
