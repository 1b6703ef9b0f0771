"use strict";
// The longest common subsequence of two arrays of numbers, in linear space: Eugene W. Myers, "An O(ND) Difference
// Algorithm and Its Variations", Algorithmica 1 (1986), its section 4b.
const judgeCommon = (() => {
  const MAX_STEPS = 3500; // half of the elements that may differ; work grows with its square, to a fifth of a second
  const NONE = -2; // so far back that a step from there is still outside

  // Go one difference further on every diagonal, `far` being how far each reached; the box is n by m, and begins at
  // atA and atB in the direction of `sign`. Return the diagonal on which the other way is met, within `slack` of it;
  // or null.
  function advance(box, far, other, d, slack) {
    const { a, b, n, m, atA, atB, sign } = box, delta = n - m, zero = far.length >> 1;
    if (d) far[zero - d - 1] = far[zero + d + 1] = NONE;
    for (let k = -d; k <= d; k += 2) {
      let right = far[zero + k - 1] + 1, down = far[zero + k + 1];
      if (right > n) right = NONE;
      if (down - k > m) down = NONE;
      let x = Math.max(right, down);
      if (x < 0) { far[zero + k] = NONE; continue; }
      while (x < n && x - k < m && a[atA + sign * x] === b[atB + sign * (x - k)]) x++;
      far[zero + k] = x;
      if (Math.abs(delta - k) <= slack && x + other[zero + delta - k] >= n) return k;
    }
    return null;
  }

  // Return a point half way on a shortest way through the box from (a0, b0) to (a1, b1); null if it is too long.
  function middle(a, b, [a0, a1, b0, b1], ahead, back) {
    const n = a1 - a0, m = b1 - b0, isOdd = (n - m) % 2 !== 0, zero = ahead.length >> 1;
    const forwards = { a, b, n, m, atA: a0, atB: b0, sign: 1 };
    const backwards = { a, b, n, m, atA: a1 - 1, atB: b1 - 1, sign: -1 };
    for (const far of [ahead, back]) { far[zero - 1] = NONE; far[zero + 1] = 0; }
    for (let d = 0; d <= MAX_STEPS; d++) {
      let k = advance(forwards, ahead, back, d, isOdd ? d - 1 : -1);
      if (k !== null) return [a0 + ahead[zero + k], b0 + ahead[zero + k] - k];
      k = advance(backwards, back, ahead, d, isOdd ? -1 : d);
      if (k !== null) return [a1 - back[zero + k], b1 - back[zero + k] + k];
    }
    return null;
  }

  // Return for each element of a and b whether it is common; null where too many are not.
  return function common(a, b) {
    const inA = new Uint8Array(a.length), inB = new Uint8Array(b.length);
    const size = 2 * Math.min(MAX_STEPS, a.length + b.length) + 5;
    const ahead = new Int32Array(size), back = new Int32Array(size);
    const boxes = [[0, a.length, 0, b.length]];
    while (boxes.length) {
      let [a0, a1, b0, b1] = boxes.pop();
      while (a0 < a1 && b0 < b1 && a[a0] === b[b0]) inA[a0++] = inB[b0++] = 1;
      while (a0 < a1 && b0 < b1 && a[a1 - 1] === b[b1 - 1]) inA[--a1] = inB[--b1] = 1;
      if (a0 === a1 || b0 === b1) continue;
      const found = middle(a, b, [a0, a1, b0, b1], ahead, back);
      if (!found) return null;
      const [x, y] = found;
      boxes.push([a0, x, b0, y], [x, a1, y, b1]);
    }
    return [inA, inB];
  };
})();
