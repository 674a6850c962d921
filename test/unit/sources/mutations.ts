import fc from 'fast-check'

/** Bytes that are nearly the given ones: some overwritten, and sometimes cut off. */
export const mutationsOf = (original: Uint8Array): fc.Arbitrary<Buffer> => {
  const overwriting = fc.record({
    at: fc.nat({ max: Math.max(original.length - 1, 0) }),
    bytes: fc.uint8Array({ minLength: 1, maxLength: 8 }),
  })
  const end = fc.oneof(
    { weight: 3, arbitrary: fc.constant(original.length) },
    { weight: 1, arbitrary: fc.nat({ max: original.length }) },
  )
  return fc.tuple(fc.array(overwriting, { minLength: 1, maxLength: 4 }), end).map(([changes, length]) => {
    const mutated = Buffer.from(original)
    for (const { at, bytes } of changes) mutated.set(bytes.subarray(0, mutated.length - at), at)
    return mutated.subarray(0, length)
  })
}
