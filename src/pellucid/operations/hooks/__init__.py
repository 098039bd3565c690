"""Events of an agent's program in, the replies to its hooks and memories of its sessions out."""
