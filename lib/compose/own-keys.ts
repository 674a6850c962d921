import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { OwnKeys } from '../reconcile/kustomization/decryption/load-decryptor.ts'

interface KeyFolder extends Pick<OwnKeys, 'digestKey'> {
  /** Files with the names and contents of the entries of a key Secret, as a mounted Secret has them. Without a directory there are no keys. */
  readonly directory?: string | undefined
  /** That of the runner's Cluster, which all of its units are in. */
  readonly namespace: string
}

/**
 * The keys in a directory of a runner. They are read for each build, as a mounted Secret changes. If a hub hands out a unit of another namespace, nothing is
 * decrypted with them.
 */
export const ownKeysIn = ({ directory, namespace, digestKey }: KeyFolder): OwnKeys => ({
  digestKey,
  place: `directory '${directory}' of the runner`,
  entriesFor: async ({ metadata }) =>
    directory !== undefined && metadata.namespace === namespace ? entriesIn(directory) : undefined,
})

/** By name, in base64. */
const entriesIn = async (directory: string): Promise<Readonly<Record<string, string>>> => {
  const names = (await readdir(directory)).filter(isKeyEntry)
  const entries = names.map(async name => [name, await readFile(join(directory, name), 'base64')] as const)
  return Object.fromEntries(await Promise.all(entries))
}

const isKeyEntry = (name: string): boolean => /\.(agekey|asc)$|^sops\./.test(name)
