"""Virtual drives of Adaptec cards (Series 5 to 8, SmartRAID, and ServeRAID of their making), through arcconf."""
