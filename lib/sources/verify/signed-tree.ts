/** A source whose files its author has signed: `SHA256SUMS` in its root lists them as sha256sum does, `SHA256SUMS.sig` is the list's signature. */
import { createHash } from 'node:crypto'
import type { SourceTree } from '../artifact/source-tree.ts'
import { NotVerified } from './not-verified.ts'
import type { TrustedKey } from './public-key.ts'

export const listName = 'SHA256SUMS'
/** The signature is in base64, as `cosign sign-blob` writes it. */
export const signatureName = `${listName}.sig`

/** What a list says of itself, in its first line. */
export interface SignedAs {
  /** What the author calls the source: a hub may call it otherwise, but can't then bring an older revision of it back. */
  readonly name: string
  /** Milliseconds since the epoch. */
  readonly signedAt: number
}

export const isSourceName = (name: string): boolean => /^[\w./-]{1,128}$/.test(name)

/** The list of a tree; `sha256sum --check` reads it, and takes the first line for a comment. */
export const listOf = (tree: SourceTree, { name, signedAt }: SignedAs): string =>
  [`# ${name} signed at ${new Date(signedAt).toISOString()}`, ...linesOf(tree), ''].join('\n')

const linesOf = (tree: SourceTree): readonly string[] =>
  [...tree]
    .filter(([path]) => path !== listName && path !== signatureName)
    .map(([path, { content }]) => `${createHash('sha256').update(content).digest('hex')}  ${path}`)
    .sort()

/**
 * Fails with NotVerified unless one of the keys has signed the list, and the list has
 * exactly the files of the tree: a file that is missing changes what is applied, too.
 */
export const verifySignedTree = (tree: SourceTree, keys: readonly TrustedKey[]): SignedAs => {
  const [list, signature] = [tree.get(listName)?.content, tree.get(signatureName)?.content]
  if (!list || !signature) throw new NotVerified(`the source has no ${list ? signatureName : listName}`)
  const bytes = Buffer.from(Buffer.from(signature).toString('utf8').trim(), 'base64')
  if (!keys.some(key => key.hasSigned(list, bytes)))
    throw new NotVerified(`${signatureName} is no signature of ${listName} by a trusted key`)
  const [head = '', ...lines] = Buffer.from(list).toString('utf8').trimEnd().split('\n')
  const [, name = '', time = ''] = /^# (\S+) signed at (\S+)$/.exec(head) ?? []
  const signedAt = Date.parse(time)
  if (Number.isNaN(signedAt)) throw new NotVerified(`${listName} does not say what was signed, and when`)
  const listed = new Set(lines)
  const found = new Set(linesOf(tree))
  const unlisted = [...found].find(line => !listed.has(line))
  if (unlisted !== undefined) throw new NotVerified(`the source has another ${pathIn(unlisted)} than ${listName} lists`)
  const missing = lines.find(line => !found.has(line))
  if (missing !== undefined) throw new NotVerified(`the source lacks ${pathIn(missing)}, which ${listName} lists`)
  return { name, signedAt }
}

const pathIn = (line: string): string => line.slice(line.indexOf('  ') + 2)
