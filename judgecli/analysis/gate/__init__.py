"""The merge gate: is the candidate no worse, or better, and is the judge fit to say so?"""
