"""Makes the packages of raidtui; `./start package` calls it."""
