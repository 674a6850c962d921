import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, resolve, sep } from 'node:path'
import { CommandFailed } from '../command-failed.ts'

/**
 * Writes a file of a chart below a folder, creating parent folders. A chart chooses its name and paths, so paths that lead outside the folder fail
 * with CommandFailed. `flag` is that of `writeFileSync`.
 */
export const writeBelow = (folder: string, path: string, content: string | Uint8Array, flag: 'w' | 'a' = 'w'): void => {
  const file = resolve(folder, path)
  if (!file.startsWith(resolve(folder) + sep)) throw new CommandFailed(`${path} leads out of ${folder}`)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content, { flag })
}
