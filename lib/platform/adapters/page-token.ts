import { StoreError } from '../ports/objects.ts'

/** Encodes the end of a page as an opaque string. */
export const pageToken = (parts: readonly (string | number)[]): string =>
  Buffer.from(JSON.stringify(parts)).toString('base64url')

/** Decodes a page token. Fails with StoreError `expired` if this store did not issue it, so that the caller starts over. */
export function readPageToken<Shape extends readonly ('string' | 'number')[]>(
  token: string,
  shape: Shape,
): Parts<Shape> {
  try {
    const parts = JSON.parse(Buffer.from(token, 'base64url').toString()) as unknown
    if (Array.isArray(parts) && parts.length === shape.length && shape.every((type, i) => typeof parts[i] === type))
      return parts as Parts<Shape>
  } catch {
    // Reported below.
  }
  throw new StoreError('expired', 'the continue token was not issued by this store')
}

type Parts<Shape extends readonly ('string' | 'number')[]> = {
  [Index in keyof Shape]: Shape[Index] extends 'number' ? number : string
}
