import { sha256Hex } from '../../foundations/rules/sha256.ts'

/** The UID of a record's object: the same each time that it is read. */
export const recordUid = (identity: string): string => {
  const hash = sha256Hex(identity)
  const parts = [
    [0, 8],
    [8, 12],
    [12, 16],
    [16, 20],
    [20, 32],
  ]
  return parts.map(([from, to]) => hash.slice(from, to)).join('-')
}
