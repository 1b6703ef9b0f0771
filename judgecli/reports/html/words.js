"use strict";
// Which words of two texts differ: the longest common subsequence of their words.
const judgeWords = (() => {
  const WORD = /\s+|[\p{L}\p{N}_]+\s*|[^\s\p{L}\p{N}_]\s*/gu;
  const MAX_CELLS = 6e6; // of the table; a tenth of a second
  const MIN_RUN = 3; // fewer common words between differences are chance
  const MIN_COMMON = 0.2;

  const split = (text) => text.match(WORD) || [];
  const key = (word) => word.trim().toLowerCase();

  // Return for each word of a and b whether it is common; null where there are too many.
  function common(a, b) {
    const inA = new Uint8Array(a.length), inB = new Uint8Array(b.length);
    let start = 0, endA = a.length, endB = b.length;
    while (start < endA && start < endB && a[start] === b[start]) { inA[start] = inB[start] = 1; start++; }
    while (endA > start && endB > start && a[endA - 1] === b[endB - 1]) { inA[--endA] = inB[--endB] = 1; }
    const n = endA - start, m = endB - start;
    if ((n + 1) * (m + 1) > MAX_CELLS) return null;
    const table = new Uint16Array((n + 1) * (m + 1)), wide = m + 1;
    for (let i = n - 1; i >= 0; i--) {
      for (let j = m - 1; j >= 0; j--) {
        const here = i * wide + j;
        table[here] = a[start + i] === b[start + j]
          ? table[here + wide + 1] + 1
          : Math.max(table[here + wide], table[here + 1]);
      }
    }
    for (let i = 0, j = 0; i < n && j < m;) {
      if (a[start + i] === b[start + j]) { inA[start + i] = inB[start + j] = 1; i++; j++; }
      else if (table[(i + 1) * wide + j] >= table[i * wide + j + 1]) i++;
      else j++;
    }
    return [inA, inB];
  }

  // Return the pieces of a text as [words, differs].
  function pieces(words, isCommon) {
    const found = [];
    for (let i = 0; i < words.length;) {
      let end = i;
      while (end < words.length && isCommon[end] === isCommon[i]) end++;
      const isChance = isCommon[i] && end - i < MIN_RUN && i > 0 && end < words.length;
      const differs = !isCommon[i] || isChance;
      const text = words.slice(i, end).join("");
      const last = found[found.length - 1];
      if (last && last[1] === differs) last[0] += text;
      else found.push([text, differs]);
      i = end;
    }
    return found;
  }

  // Return both texts in pieces, or why they are not marked.
  return function differences(a, b) {
    if (a === b) return { reason: "the same text" };
    const wordsA = split(a), wordsB = split(b);
    const found = common(wordsA.map(key), wordsB.map(key));
    if (!found) return { reason: "too long to compare word by word" };
    const marked = [pieces(wordsA, found[0]), pieces(wordsB, found[1])];
    const same = marked.map((side) => side.filter((piece) => !piece[1]).reduce((n, piece) => n + piece[0].length, 0));
    const share = (same[0] + same[1]) / (a.length + b.length);
    if (share < MIN_COMMON) return { reason: "hardly a passage in common: differences are not marked" };
    return { marked };
  };
})();
