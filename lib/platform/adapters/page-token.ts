import { StoreError } from '../ports/objects.ts'

/** Packs where a page ended into an opaque string. */
export const pageToken = (parts: readonly (string | number)[]): string =>
  Buffer.from(JSON.stringify(parts)).toString('base64url')

/** Unpacks it, or fails with StoreError `expired` when it is none of ours: the caller starts anew. */
export function readPageToken<Shape extends readonly ('string' | 'number')[]>(
  token: string,
  shape: Shape,
): Parts<Shape> {
  try {
    const parts = JSON.parse(Buffer.from(token, 'base64url').toString()) as unknown
    if (Array.isArray(parts) && parts.length === shape.length && shape.every((type, i) => typeof parts[i] === type))
      return parts as Parts<Shape>
  } catch {
    // As below.
  }
  throw new StoreError('expired', 'the continue token is not one that this store has given out')
}

type Parts<Shape extends readonly ('string' | 'number')[]> = {
  [Index in keyof Shape]: Shape[Index] extends 'number' ? number : string
}
