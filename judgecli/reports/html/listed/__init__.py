"""What a page lists, one module a kind of report, named after it: `table(record, summary) -> ItemTable`."""
