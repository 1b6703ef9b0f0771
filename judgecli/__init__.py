"""judgecli: compare two models' answers with a judge model on this machine."""
