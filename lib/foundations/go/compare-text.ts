/** Compares two texts by their UTF-8 bytes, as Go does; JavaScript's own order differs for characters beyond the BMP. */
export const compareBytes = (a: string, b: string): number => {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) {
    const difference = rank(a.charCodeAt(at)) - rank(b.charCodeAt(at))
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

/** Surrogates represent the highest characters, though their code units are not the highest. */
const rank = (unit: number): number => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800)

/** Compares two texts by UTF-16 units: the same order, and faster, if both are ASCII, as names and keys are. */
export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
