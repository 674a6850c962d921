/** All of a body, as long as it has no more than `maxBytes`. Fails with what `tooLarge` makes as soon as more has come. */
export const collectBytes = async (
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxBytes: number,
  tooLarge: () => Error,
): Promise<Buffer> => {
  const parts: Uint8Array[] = []
  for await (const chunk of withinBytes(chunks, maxBytes, tooLarge)) parts.push(chunk)
  return Buffer.concat(parts)
}

/** The pieces of a body, as long as they have no more than `maxBytes` together. Fails with what `tooLarge` makes. */
export async function* withinBytes(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  maxBytes: number,
  tooLarge: () => Error,
): AsyncGenerator<Uint8Array> {
  let size = 0
  for await (const chunk of chunks) {
    size += chunk.byteLength
    if (size > maxBytes) throw tooLarge()
    yield chunk
  }
}
