"""Rules about connections: what TCP tells, wrong protocols on a port, logins and rights."""
