import { readdirSync } from 'node:fs'
import { join } from 'node:path'

const NAMES = new Set(['kustomization.yaml', 'kustomization.yml', 'Kustomization'])

/** Every folder below one that holds a kustomization, sorted by path; links and `.git` are not followed. */
export function* findKustomizations(directory: string): Generator<string> {
  const entries = readdirSync(directory, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  if (entries.some(entry => NAMES.has(entry.name) && !entry.isDirectory())) yield directory
  for (const entry of entries)
    if (entry.isDirectory() && entry.name !== '.git') yield* findKustomizations(join(directory, entry.name))
}
