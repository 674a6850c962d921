import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { SourceFile, SourceTree } from '../sources/artifact/source-tree.ts'
import { CommandFailed } from './command-failed.ts'

interface Settings {
  readonly input: AsyncIterable<Uint8Array | string>
  /** Follow symbolic links; otherwise they are skipped. */
  readonly followsLinks: boolean
}

/** The files of a folder, a single file, or, for `-`, the given input. */
export const readLocalTree = async (path: string, { input, followsLinks }: Settings): Promise<SourceTree> => {
  if (path === '-') {
    const chunks: Buffer[] = []
    for await (const chunk of input) chunks.push(Buffer.from(chunk))
    return new Map([['stdin.yaml', { content: Buffer.concat(chunks), executable: false }]])
  }
  const found = await stat(path).catch(cause => {
    throw new CommandFailed(`invalid path '${path}', must point to an existing directory or file`, { cause })
  })
  if (!found.isDirectory()) return new Map([[basename(path), await readOne(path)]])
  const tree = new Map<string, SourceFile>()
  await addFolder(path, '', { tree, followsLinks, inside: [] })
  return tree
}

interface Walk {
  readonly tree: Map<string, SourceFile>
  readonly followsLinks: boolean
  /** Real paths of the parent folders: a link to one of them would recurse forever. */
  readonly inside: readonly string[]
}

const addFolder = async (folder: string, prefix: string, walk: Walk): Promise<void> => {
  const real = await realpath(folder)
  if (walk.inside.includes(real)) throw new CommandFailed(`${folder} is a link to one of its parent folders`)
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const [path, name] = [join(folder, entry.name), prefix + entry.name]
    if (entry.isSymbolicLink() && !walk.followsLinks) continue
    const kind = entry.isSymbolicLink() ? await stat(path) : entry
    if (kind.isDirectory()) await addFolder(path, `${name}/`, { ...walk, inside: [...walk.inside, real] })
    else if (kind.isFile()) walk.tree.set(name, await readOne(path))
  }
}

const readOne = async (path: string): Promise<SourceFile> => {
  const { mode } = await stat(path)
  return { content: await readFile(path), executable: (mode & 0o111) !== 0 }
}
