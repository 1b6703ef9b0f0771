"use strict";
// Which words of two texts differ: those outside the longest common subsequence of their words.
const judgeWords = (() => {
  // Scripts without spaces between words go by characters.
  const UNSPACED = "[\\p{sc=Han}\\p{sc=Hira}\\p{sc=Kana}\\p{sc=Thai}\\p{sc=Laoo}\\p{sc=Khmr}\\p{sc=Mymr}]";
  const WORD = new RegExp(
    `\\s+|${UNSPACED}\\p{M}*\\s*|(?:(?!${UNSPACED})[\\p{L}\\p{M}\\p{N}_])+\\s*|[^\\s\\p{L}\\p{M}\\p{N}_]\\s*`, "gu");
  const MIN_RUN = 3; // fewer common words between differences are chance
  const MIN_COMMON = 0.2;

  const split = (text) => text.match(WORD) || [];
  const key = (word) => word.trim().toLowerCase();

  function compare(a, b) {
    const numbers = new Map();
    const number = (word) => numbers.get(word) ?? (numbers.set(word, numbers.size), numbers.size - 1);
    return judgeCommon(Int32Array.from(a, number), Int32Array.from(b, number));
  }

  // Return the pieces of a text as [words, differs].
  function pieces(words, isCommon, leastRun) {
    const found = [];
    for (let i = 0; i < words.length;) {
      let end = i;
      while (end < words.length && isCommon[end] === isCommon[i]) end++;
      const isChance = isCommon[i] && end - i < leastRun && i > 0 && end < words.length;
      const differs = !isCommon[i] || isChance;
      const text = words.slice(i, end).join("");
      const last = found[found.length - 1];
      if (last && last[1] === differs) last[0] += text;
      else found.push([text, differs]);
      i = end;
    }
    return found;
  }

  // Return both texts in pieces, and where there is something to say of it a reason.
  return function differences(a, b) {
    if (a === b) return { reason: "the same text" };
    const words = [split(a), split(b)];
    let found = compare(words[0].map(key), words[1].map(key));
    if (!found) return { reason: "too many differ to compare word by word" };
    const mark = (leastRun) => words.map((side, k) => pieces(side, found[k], leastRun));
    if (found.every((side) => side.every(Boolean))) {
      found = compare(...words);
      return { marked: found && mark(1), reason: "they differ only in case or spacing" };
    }
    const marked = mark(MIN_RUN);
    const same = marked.flat().reduce((n, [text, differs]) => differs ? n : n + text.length, 0);
    if (same / (a.length + b.length) < MIN_COMMON) return { reason: "hardly a passage in common: differences are not marked" };
    return { marked };
  };
})();
