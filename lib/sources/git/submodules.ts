import type { SourceFile, SourceTree } from '../artifact/source-tree.ts'
import { GitError, tooLarge } from './git-error.ts'
import { readGitModules, submoduleUrl } from './git-modules.ts'
import { sizeOf } from './git-object.ts'
import type { Worktree } from './worktree.ts'

export interface SubmoduleOptions {
  /** Of the parent repository. */
  readonly url: URL
  /** Its `.gitmodules`. */
  readonly gitModules: Uint8Array | undefined
  /** Only files whose paths begin with one of these. */
  readonly prefixes?: readonly string[] | undefined
  readonly limits: { readonly maxFiles: number; readonly maxBytes: number }
  /** The files of a commit of another repository, including its submodules. */
  fetch(url: URL, commit: string): Promise<SourceTree>
}

const maxSubmodules = 200

/**
 * Adds the files of submodules, each at the commit that the repository records. Skips folders that `.gitmodules` does
 * not list, as git does. Fails with GitError, which names the submodule.
 */
export const withSubmodules = async (
  { files, submodules }: Worktree,
  { url, gitModules, prefixes, limits, fetch }: SubmoduleOptions,
): Promise<SourceTree> => {
  const known = readGitModules(Buffer.from(gitModules ?? []).toString())
  const wanted = [...submodules].filter(([path]) => known.has(path))
  if (wanted.length > maxSubmodules) throw tooLarge(`the repository has more than ${maxSubmodules} submodules`)
  const all = new Map<string, SourceFile>(files)
  let bytes = files.values().reduce((sum, file) => sum + sizeOf(file), 0)
  for (const [path, commit] of wanted) {
    const tree = await Promise.resolve(known.get(path)!.url)
      .then(address => fetch(submoduleUrl(url, address), commit))
      .catch(error => {
        if (!(error instanceof GitError)) throw error
        throw new GitError(error.code, `submodule '${path}': ${error.message}`, { cause: error })
      })
    for (const [name, file] of tree) {
      const full = `${path}/${name}`
      if (prefixes && !prefixes.some(prefix => full.startsWith(prefix))) continue
      bytes += sizeOf(file)
      all.set(full, file)
      if (bytes > limits.maxBytes) throw tooLarge(`the files are larger than ${limits.maxBytes} bytes`)
      if (all.size > limits.maxFiles) throw tooLarge(`the repository has more than ${limits.maxFiles} files`)
    }
  }
  return all
}
