import { createHash } from 'node:crypto'
import type { Budget } from '../../foundations/budget/budget.ts'
import { decryptMac, decryptValue } from './encrypted-value.ts'
import { isEncryptedBy, type Place } from './encryption-rule.ts'
import { plainText } from './formats/plain-text.ts'
import type { EncryptedDocuments } from './metadata.ts'
import { SopsError } from './sops-error.ts'
import { Branch, Comment, commentItem, type Item, type SopsValue } from './tree.ts'

export interface Decrypted {
  readonly documents: readonly Branch[]
  /** Over all values in order, as sops computes it. */
  readonly mac: string
}

/** Prefix of a MAC over only the encrypted values, so that it never equals one over all values: sha256('sops'). */
const macOnlyEncryptedStart = createHash('sha256').update('sops').digest()

/** Budget steps per value, besides those for its length. */
const stepsPerValue = 4

/**
 * Decrypts every encrypted value. Computes the MAC, but does not compare it (see `requireMac`). Fails with SopsError `value`, and with
 * BudgetExceeded.
 */
export const decryptDocuments = (
  { documents, metadata }: EncryptedDocuments,
  dataKey: Uint8Array,
  budget?: Budget,
): Decrypted => {
  const isEncrypted = isEncryptedBy(metadata.rule)
  const hash = createHash('sha512')
  if (metadata.macOnlyEncrypted) hash.update(macOnlyEncryptedStart)

  const leaf = (value: SopsValue, place: Place): SopsValue => {
    if (value === null) return null
    const encrypted = isEncrypted(place)
    if (encrypted) budget?.spend('steps', stepsPerValue, place.path.join('.'))
    const plain = encrypted ? decryptLeaf(value, dataKey, place) : value
    // The decrypted type decides, not the encrypted one: a list item may decrypt to a comment.
    const counts = encrypted || !metadata.macOnlyEncrypted
    if (counts && !(plain instanceof Comment)) hash.update(plainText(plain)!)
    return plain
  }

  const walk = (value: SopsValue, path: readonly string[], comments: readonly (readonly string[])[]): SopsValue => {
    if (value instanceof Branch) return branch(value, path, comments)
    if (Array.isArray(value)) return list(value, path, comments)
    return leaf(value, { path, comments, isComment: value instanceof Comment })
  }

  const list = (values: readonly SopsValue[], path: readonly string[], above: Place['comments']): SopsValue[] => {
    let comments: readonly string[] = []
    return values.map(value => {
      if (value instanceof Comment) comments = [...comments, value.text]
      const plain = walk(value, path, [...above, comments])
      if (!(value instanceof Comment)) comments = []
      return plain
    })
  }

  const branch = ({ items }: Branch, path: readonly string[], above: Place['comments']): Branch => {
    let comments: readonly string[] = []
    const item = ({ key, value }: Item): Item => {
      if (key instanceof Comment) {
        comments = [...comments, key.text]
        const plain = walk(key, path, [...above, comments])
        return commentItem(toComment(plain, key, path))
      }
      const plain = walk(value, [...path, key], [...above, comments])
      comments = []
      return { key, value: plain }
    }
    return new Branch(items.map(item))
  }

  return {
    documents: documents.map(document => branch(document, [], [])),
    mac: hash.digest('hex').toUpperCase(),
  }
}

const decryptLeaf = (value: SopsValue, dataKey: Uint8Array, { path }: Place): SopsValue => {
  if (value instanceof Comment) return decryptComment(value, dataKey, path)
  try {
    if (typeof value === 'string') return decryptValue(value, dataKey, path)
    throw new SopsError('value', 'Expected encrypted value as string', { key: path.join('.') })
  } catch (error) {
    if (!(error instanceof SopsError)) throw error
    const message = `Error walking tree: Could not decrypt value: ${error.message}`
    throw new SopsError('value', message, { key: error.key, cause: error })
  }
}

/**
 * A trailing comment moves above its value, and an empty one becomes an empty list item, as in sops. Old versions of sops left comments
 * unencrypted.
 */
const decryptComment = (comment: Comment, dataKey: Uint8Array, path: readonly string[]): SopsValue => {
  try {
    return decryptValue(comment.text, dataKey, path)
  } catch {
    return comment
  }
}

const toComment = (plain: SopsValue, { inline }: Comment, path: readonly string[]): Comment => {
  if (plain instanceof Comment) return plain
  if (typeof plain === 'string') return new Comment(plain, inline)
  throw new SopsError('value', 'Error walking tree: a comment decrypts to something else', { key: path.join('.') })
}

/** Fails with SopsError `mac` unless the values are exactly those that sops encrypted, in this order. */
export const requireMac = ({ metadata }: EncryptedDocuments, { mac }: Decrypted, dataKey: Uint8Array): void => {
  const expected = openMac(metadata.mac, dataKey, metadata.lastModified)
  if (expected === mac) return
  throw new SopsError(
    'mac',
    `MAC mismatch: ${expected === '' ? 'the document has no MAC' : 'values were changed since it was encrypted'}`,
  )
}

const openMac = (mac: string, dataKey: Uint8Array, lastModified: string): SopsValue => {
  try {
    return decryptMac(mac, dataKey, lastModified)
  } catch (error) {
    if (!(error instanceof SopsError)) throw error
    throw new SopsError('mac', `Cannot decrypt MAC: ${error.message}`, { cause: error })
  }
}
