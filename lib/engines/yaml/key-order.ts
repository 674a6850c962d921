const isLetter = (c: string): boolean => /\p{L}/u.test(c)
const isAsciiLetter = (c: number): boolean => (c >= 65 && c <= 90) || (c >= 97 && c <= 122)
const isDigit = (c: number): boolean => c >= 48 && c <= 57

const letterAt = (text: string, i: number): boolean => {
  const c = text.charCodeAt(i)
  return c < 128 ? isAsciiLetter(c) : isLetter(String.fromCodePoint(text.codePointAt(i)!))
}

/** Order of mapping keys in go-yaml's output: letters after other characters, runs of digits by value. */
export const compareKeys = (a: string, b: string): number => {
  const common = Math.min(a.length, b.length)
  for (let i = 0; i < common; i++) {
    const ca = a.charCodeAt(i)
    const cb = b.charCodeAt(i)
    if (ca === cb) continue
    const la = letterAt(a, i)
    const lb = letterAt(b, i)
    if (la && lb) return a.codePointAt(i)! - b.codePointAt(i)!
    if (la || lb) return lb ? -1 : 1
    return compareDigits(a, b, i)
  }
  return a.length - b.length
}

const compareDigits = (a: string, b: string, at: number): number => {
  let seed = 0n
  if (a.charCodeAt(at) === 48 || b.charCodeAt(at) === 48) {
    for (let j = at - 1; isDigit(a.charCodeAt(j)); j--) {
      if (a.charCodeAt(j) !== 48) {
        seed = 1n
        break
      }
    }
  }
  const run = (text: string): { end: number; value: bigint } => {
    let end = at
    let value = seed
    while (isDigit(text.charCodeAt(end))) {
      value = BigInt.asIntN(64, value * 10n + BigInt(text.charCodeAt(end) - 48))
      end++
    }
    return { end, value }
  }
  const [ra, rb] = [run(a), run(b)]
  if (ra.value < rb.value) return -1
  if (ra.value > rb.value) return 1
  if (ra.end !== rb.end) return ra.end - rb.end
  return a.codePointAt(at)! - b.codePointAt(at)!
}
