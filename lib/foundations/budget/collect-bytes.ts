/** Reads a whole body; undefined as soon as it exceeds `maxBytes`. */
export const collectBytes = async (
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<Buffer | undefined> => {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const chunk of chunks) {
    size += chunk.byteLength
    if (size > maxBytes) return undefined
    parts.push(chunk)
  }
  return Buffer.concat(parts)
}
