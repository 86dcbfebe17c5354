"""The GPU side: profiles and their tenants, what fits on a card, what a boot log says, which cards there are."""
