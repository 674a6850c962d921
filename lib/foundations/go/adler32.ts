const MODULUS = 65_521
/** The number of bytes to add up between reductions. Far below the number at which a sum would exceed exact integers. */
const STRETCH = 3_800

/** hash/adler32: the Adler-32 checksum (RFC 1950) of bytes, or of a text as UTF-8. Flux uses it, in decimal, for ids and revisions. */
export const adler32 = (content: string | Uint8Array): number => {
  const bytes = Buffer.from(content as Uint8Array)
  let [a, b] = [1, 0]
  for (let start = 0; start < bytes.length; start += STRETCH) {
    for (const byte of bytes.subarray(start, start + STRETCH)) {
      a += byte
      b += a
    }
    a %= MODULUS
    b %= MODULUS
  }
  return b * 65_536 + a
}
